import { databaseFacts } from '#libs/persistence';
import net from 'node:net';
import type { Check } from '../check.js';
import { error, ok, skipped, warning, type Remark } from '../finding.js';
import type { Patient } from '../patient.js';
import { askTime } from '../sntp.js';
import { askWeb, WELL_KNOWN } from '../web-question.js';

/** Receivers forgive signatures that come from a few minutes ahead of them, certificates and TOTP less. */
const WRONG_MS = 60_000;
const LOOSE_MS = 2_000;
const SECOND_MS = 1_000;
const NTP_PORT = 123;
const SYNCHRONISE = 'timedatectl set-ntp true   (or: apt-get install chrony)';

/** DKIM signatures carry the time, TLS and every order of events rest on it. */
export const clockCheck: Check = {
  name: 'clock',
  title: 'Clock',
  asks: 'Is the clock of this machine right?',
  look: async (patient) => {
    const reasons: string[] = [];
    for (const server of patient.config.settings.NTP_SERVERS) {
      const found = await ask(patient, server);
      if (typeof found !== 'string') return [judge(`against ${server}`, found)];
      reasons.push(`${server}: ${found}`);
    }
    return [(await judgeByWeb(patient)) ?? (await judgeByDatabase(patient, reasons.join('; ')))];
  },
};

interface Offset {
  aheadMs: number;
  delayMs: number;
}

/** A text says why there is no answer. */
async function ask({ dns }: Patient, server: string): Promise<Offset | string> {
  const [, host, port = String(NTP_PORT)] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(server) ?? [];
  const found = net.isIP(host) === 0 ? await dns.addresses(host) : { kind: 'found' as const, values: [host] };
  if (found.kind !== 'found') return found.kind === 'none' ? 'it has no address' : found.reason;
  return askTime({ address: found.values[0], port: Number(port) }).catch(({ message }: Error) => message);
}

function judge(where: string, { aheadMs, delayMs }: Offset): Remark {
  const facts = { ahead_ms: Math.round(aheadMs), delay_ms: Math.round(delayMs) };
  const off = Math.max(0, Math.abs(aheadMs) - delayMs / 2);
  const subject = 'clock';
  const how = `It is ${seconds(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead'} (${where})`;
  if (off > WRONG_MS)
    return error({
      subject,
      message: `${how}. Receivers refuse signatures from the future, and certificates seem expired or not valid yet.`,
      fix: SYNCHRONISE,
      facts,
    });
  if (off > LOOSE_MS)
    return warning({ subject, message: `${how}, so nothing keeps it right.`, fix: SYNCHRONISE, facts });
  return ok({ subject, message: `It is right (${where}, ${seconds(Math.abs(aheadMs))}).`, facts });
}

/** Where time servers are out of reach, web servers often are not. Their clocks are told to a second. */
async function judgeByWeb(patient: Patient): Promise<Remark | null> {
  const answer = await askWeb(patient).catch(() => null);
  if (answer === null || typeof answer === 'string' || answer.date === null) return null;
  const aheadMs = answer.date.getTime() + SECOND_MS / 2 - (Date.now() - answer.delayMs / 2);
  return judge(`against ${WELL_KNOWN.host}`, { aheadMs, delayMs: answer.delayMs + SECOND_MS });
}

/** A database on this machine has the same clock. */
async function judgeByDatabase(patient: Patient, reasons: string): Promise<Remark> {
  const subject = 'clock';
  const { DATABASE_URL } = patient.config.settings;
  const isRemote = DATABASE_URL !== undefined && !/^(?:localhost|127\.|\[::1\])/.test(new URL(DATABASE_URL).hostname);
  const database = isRemote ? await patient.database() : null;
  if (database === null)
    return skipped({
      subject,
      message: `No time server answered (${reasons}).`,
      fix: 'NTP_SERVERS=<a time server that this machine reaches>',
    });
  const { clockAheadMs, clockAsideMs } = await databaseFacts(database);
  return judge('against the database', { aheadMs: clockAheadMs, delayMs: clockAsideMs });
}

const seconds = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);
