import { databaseInfo } from '#libs/persistence';
import net from 'node:net';
import { error, ok, skipped, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';
import { PROBED_URL, probeHttps } from '../../probes/https-probe.js';
import { queryTime, type ClockOffset } from '../../probes/sntp.js';

/** Receivers tolerate DKIM signatures from a few minutes in the future; certificates and TOTP tolerate less. */
const ERROR_MS = 60_000;
const WARNING_MS = 2_000;
const SECOND_MS = 1_000;
const NTP_PORT = 123;
const SYNCHRONISE = 'timedatectl set-ntp true   (or: apt-get install chrony)';

/** DKIM signatures contain the time; TLS and the order of events depend on it. */
export const clockCheck: Check = {
  name: 'clock',
  title: 'Clock',
  run: async (context) => {
    const failures: string[] = [];
    for (const server of context.config.settings.NTP_SERVERS) {
      const offset = await queryServer(context, server);
      if (typeof offset !== 'string') return [checkOffset(`against ${server}`, offset)];
      failures.push(`${server}: ${offset}`);
    }
    return [(await compareWithWeb(context)) ?? (await compareWithDatabase(context, failures.join('; ')))];
  },
};

/** Resolves with the reason when the server does not answer. */
async function queryServer({ dns }: CheckContext, server: string): Promise<ClockOffset | string> {
  const [, host, port = String(NTP_PORT)] = /^\[?([^\]]+?)\]?(?::(\d+))?$/.exec(server) ?? [];
  const found = net.isIP(host) === 0 ? await dns.addresses(host) : { kind: 'found' as const, values: [host] };
  if (found.kind !== 'found') return found.kind === 'none' ? 'it has no address' : found.reason;
  return queryTime({ address: found.values[0], port: Number(port) }).catch(({ message }: Error) => message);
}

function checkOffset(reference: string, { aheadMs, delayMs }: ClockOffset): Result {
  const facts = { ahead_ms: Math.round(aheadMs), delay_ms: Math.round(delayMs) };
  const certainOffset = Math.max(0, Math.abs(aheadMs) - delayMs / 2);
  const subject = 'clock';
  const offset = `It is ${seconds(Math.abs(aheadMs))} ${aheadMs > 0 ? 'behind' : 'ahead'} (${reference})`;
  if (certainOffset > ERROR_MS)
    return error({
      subject,
      message: `${offset}. Receivers refuse signatures from the future, and certificates seem expired or not valid yet.`,
      fix: SYNCHRONISE,
      facts,
    });
  if (certainOffset > WARNING_MS)
    return warning({ subject, message: `${offset}, so nothing keeps it right.`, fix: SYNCHRONISE, facts });
  return ok({ subject, message: `It is right (${reference}, ${seconds(Math.abs(aheadMs))}).`, facts });
}

/** Web servers are often reachable where time servers are not. Their Date header has a resolution of a second. */
async function compareWithWeb(context: CheckContext): Promise<Result | null> {
  const reply = await probeHttps(context).catch(() => null);
  if (reply === null || typeof reply === 'string' || reply.date === null) return null;
  const aheadMs = reply.date.getTime() + SECOND_MS / 2 - (Date.now() - reply.delayMs / 2);
  return checkOffset(`against ${PROBED_URL.host}`, { aheadMs, delayMs: reply.delayMs + SECOND_MS });
}

/** Only a database on another machine has another clock. */
async function compareWithDatabase(context: CheckContext, failures: string): Promise<Result> {
  const { DATABASE_URL } = context.config.settings;
  const isRemote = DATABASE_URL !== undefined && !/^(?:localhost|127\.|\[::1\])/.test(new URL(DATABASE_URL).hostname);
  const database = isRemote ? await context.database() : null;
  if (database === null)
    return skipped({
      subject: 'clock',
      message: `No time server answered (${failures}).`,
      fix: 'NTP_SERVERS=<a time server that this machine reaches>',
    });
  const { clockAheadMs, clockUncertaintyMs } = await databaseInfo(database);
  return checkOffset('against the database', { aheadMs: clockAheadMs, delayMs: clockUncertaintyMs });
}

const seconds = (ms: number): string => (ms < 1_000 ? `${Math.round(ms)} ms` : `${(ms / 1_000).toFixed(1)} s`);
