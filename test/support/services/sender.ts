import { mail } from '../samples/mail.js';
import type { RunningProgram } from './program.js';

/** A running service, and an account on it that sends mail. */
export interface Sender extends Pick<
  RunningProgram,
  'url' | 'key' | 'ports' | 'env' | 'pid' | 'dataDir' | 'call' | 'output'
> {
  /** A domain of the account, and an address there. */
  domain: string;
  from: string;
  /** A valid body of `POST /emails` from the account; override what the test is about. */
  mail(over?: Record<string, unknown>): Record<string, unknown>;
}

const SANDBOX = 'sandbox.postloft.test';

/** The account that a service makes at its first start. */
export function firstSender(program: RunningProgram): Sender {
  return { ...program, domain: SANDBOX, from: `orders@${SANDBOX}`, mail };
}
