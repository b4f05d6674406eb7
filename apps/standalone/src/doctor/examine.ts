import type { Config } from '#libs/kernel';
import type { Check } from './check.js';
import { skipped, type Finding, type Remark } from './finding.js';
import { Patient } from './patient.js';

/** Enough to start a database that stands still; nobody else is waited for half as long. */
const LIMIT_MS = 18_000;
/** What a check had under way gets this long to end by itself. */
const GRACE_MS = 1_000;

export interface Wanted {
  config: Config;
  checks: readonly Check[];
  domain: string | null;
  /** Milliseconds; what nobody answers in this time stays open. */
  limitMs?: number;
}

export interface Examination {
  /** In the order of the checks. */
  findings: Finding[];
  /** Lets go of what the checks opened. */
  close(): Promise<void>;
}

/** All checks at once: they wait for others most of the time. Never rejects, and ends in time whoever hangs. */
export async function examine({ config, checks, domain, limitMs = LIMIT_MS }: Wanted): Promise<Examination> {
  const limit = new AbortController();
  const patient = new Patient(config, limit.signal, domain);
  const timers: NodeJS.Timeout[] = [];
  const late = new Promise<Remark[]>((resolve) => {
    timers.push(
      setTimeout(() => limit.abort(), limitMs),
      setTimeout(() => resolve([tooLate(limitMs)]), limitMs + GRACE_MS),
    );
  });
  const isCapturing = config.settings.DELIVERY_MODE === 'capture';
  const looks = checks.map(async (check): Promise<Finding[]> => {
    const remarks = await Promise.race([attempt(check, patient), late]);
    const softened = isCapturing && check.isOfDelivery === true ? remarks.map(soften) : remarks;
    return softened.map((remark) => ({ check: check.name, ...remark }));
  });
  const findings = (await Promise.all(looks)).flat();
  timers.forEach(clearTimeout);
  return { findings, close: () => patient.close() };
}

async function attempt(check: Check, patient: Patient): Promise<Remark[]> {
  try {
    return await check.look(patient);
  } catch (problem) {
    const { message, code } = problem as NodeJS.ErrnoException;
    const reason = (message || code) ?? String(problem);
    return [skipped({ subject: check.title, message: `This could not be looked at: ${reason.split('\n', 1)[0]}` })];
  }
}

const tooLate = (limitMs: number): Remark =>
  skipped({ subject: 'time', message: `Not all of it answered within ${limitMs / 1000} s.` });

/** Nothing leaves this machine yet, so nothing is lost yet. */
const soften = (remark: Remark): Remark => (remark.status === 'error' ? { ...remark, status: 'warning' } : remark);
