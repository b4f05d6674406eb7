import { mail } from '../samples/mail.js';
import type { Caller, JsonCaller, RunningProgram } from './program.js';

type MailBody = (over?: Record<string, unknown>) => Record<string, unknown>;

/** A running service, and an account on it that sends mail. */
export interface Sender extends Pick<
  RunningProgram,
  'url' | 'key' | 'ports' | 'env' | 'pid' | 'dataDir' | 'call' | 'json' | 'output'
> {
  /** A domain of the account, and an address there. */
  domain: string;
  from: string;
  /** A valid body of `POST /emails` from the account; override what the test is about. */
  mail: MailBody;
  /** Sends that body; resolves with the id. @throws unless it is accepted. */
  send(over?: Record<string, unknown>): Promise<string>;
}

const SANDBOX = 'sandbox.postloft.test';

/** The account that a service makes at its first start. */
export function firstSender(program: RunningProgram): Sender {
  return { ...program, domain: SANDBOX, from: `orders@${SANDBOX}`, ...senderOf(program, mail) };
}

export function senderOf(callers: { call: Caller; json: JsonCaller }, body: MailBody) {
  const { call, json } = callers;
  const send = async (over = {}) => (await json<{ id: string }>('POST', '/emails', body(over))).id;
  return { call, json, mail: body, send };
}

interface ShownDomain {
  name: string;
  records: { type: string; name: string; value: string }[];
}

/** The TXT records that a domain of the account is told to publish, by name. */
export async function dnsTexts({ json, domain }: Sender, name = domain): Promise<Record<string, string>> {
  const found = (await json<ShownDomain[]>('GET', '/domains')).find((one) => one.name === name);
  const texts = (found?.records ?? []).filter(({ type }) => type === 'TXT');
  return Object.fromEntries(texts.map(({ name, value }) => [name, value]));
}
