import { isRedacted, normaliseAddress, type DeliveryStatus } from '#libs/mime';
import type { ReportedRecipient } from './reported-mail.js';

/** A recipient whom a report is about. */
export interface Chosen {
  recipient: ReportedRecipient;
  /**
   * The report names his address, or nobody's where he was alone. One that names another address speaks of wherever his
   * mail was forwarded to: that is told, but no reason to suppress him (M-33).
   */
  himself: boolean;
}

export const NAMES_ANOTHER = 'it names another address, so it suppresses nobody';

export interface ChosenBounce extends Chosen {
  status: DeliveryStatus;
}

/**
 * Whom the failures of a delivery status notification are about, each recipient once. `missed`: failures of which nobody
 * can say whose they are; a transaction of several recipients is never guessed about (details §10).
 */
export function chooseBounced(
  candidates: readonly ReportedRecipient[],
  statuses: readonly DeliveryStatus[],
): { chosen: ChosenBounce[]; missed: number } {
  const found = new Map<number, ChosenBounce>();
  let missed = 0;
  // Whose own delivery has not failed by the same report is not taken for somebody whom nobody knows.
  const going = named(
    candidates,
    statuses.filter(({ action }) => action !== 'failed').flatMap((status) => namesOf(status).slice(0, 1)),
  );
  for (const status of statuses.filter(({ action }) => action === 'failed')) {
    const one = chooseOne(candidates, namesOf(status), going);
    if (one === null) missed += 1;
    else if (found.get(one.recipient.ordinal)?.himself !== true) found.set(one.recipient.ordinal, { ...one, status });
  }
  return { chosen: [...found.values()].sort((a, b) => a.recipient.ordinal - b.recipient.ordinal), missed };
}

/** RFC 3464 §2.3.1 and .2: where it ended, and to whom we had sent it. */
const namesOf = ({ finalRecipient, originalRecipient }: DeliveryStatus): string[] =>
  [finalRecipient, originalRecipient].filter((name) => name !== null);

function chooseOne(
  candidates: readonly ReportedRecipient[],
  names: readonly string[],
  going: readonly ReportedRecipient[],
): Chosen | null {
  for (const [i, name] of names.entries()) {
    const matching = named(candidates, [name]);
    // An original recipient beside another final one: the mail went on from him.
    if (matching.length === 1) return { recipient: matching[0], himself: i === 0 };
  }
  const [only, ...others] = candidates;
  return others.length === 0 && !going.includes(only) ? { recipient: only, himself: names.length === 0 } : null;
}

/**
 * Who complained: the one of the transaction whom the report names, or the only one in it; a redacted name (RFC 6590)
 * that is not that of one of them is nobody's. Null where nobody can say, also where several are named: one of them
 * complained.
 */
export function chooseComplainer(candidates: readonly ReportedRecipient[], names: readonly string[]): Chosen | null {
  const matching = named(candidates, names);
  if (matching.length > 0) return matching.length === 1 ? { recipient: matching[0], himself: true } : null;
  return candidates.length === 1 ? { recipient: candidates[0], himself: names.every(isRedacted) } : null;
}

function named(candidates: readonly ReportedRecipient[], names: readonly string[]): ReportedRecipient[] {
  const wanted = new Set(names.map((name) => normaliseAddress(name)));
  return candidates.filter(({ address }) => wanted.has(normaliseAddress(address)));
}
