import { normaliseAddress, type DeliveryStatus, mailReports } from '#libs/mime';
import type { EmailInfo } from '#libs/emails';
import type { ReportedRecipient } from '#libs/queue';
import { databaseClock } from '#libs/kernel';

/** A recipient that a report is about. */
export interface ChosenRecipient {
  recipient: ReportedRecipient;
  /**
   * True if the report names this recipient's address, or names no address and the transaction had one recipient only.
   * A report that names another address concerns a host that the message was forwarded to: it is recorded but adds no
   * suppression (docs/decisions/028-inbound-reports.md).
   */
  identified: boolean;
}

export const NAMES_OTHER_ADDRESS = 'the report names another address, so no suppression is added';

export interface ChosenBounce extends ChosenRecipient {
  status: DeliveryStatus;
}

/**
 * Returns the recipients that the failures of a delivery status notification are about, each recipient once.
 * `unmatched` counts the failures that no recipient can be assigned to. With several recipients in the transaction,
 * none is guessed.
 */
export function chooseBouncedRecipients(
  candidates: readonly ReportedRecipient[],
  statuses: readonly DeliveryStatus[],
): { chosen: ChosenBounce[]; unmatched: number } {
  const found = new Map<number, ChosenBounce>();
  let unmatched = 0;
  // A recipient that the same report lists as not failed cannot be the one that an unnamed failure is about.
  const notFailed = withAddress(
    candidates,
    statuses.filter(({ action }) => action !== 'failed').flatMap((status) => addressesOf(status).slice(0, 1)),
  );
  for (const status of statuses.filter(({ action }) => action === 'failed')) {
    const match = chooseOne(candidates, addressesOf(status), notFailed);
    if (match === null) unmatched += 1;
    else if (found.get(match.recipient.ordinal)?.identified !== true)
      found.set(match.recipient.ordinal, { ...match, status });
  }
  return { chosen: [...found.values()].sort((a, b) => a.recipient.ordinal - b.recipient.ordinal), unmatched };
}

/** RFC 3464 §2.3.1 and §2.3.2: the final recipient, then the address that the message was sent to. */
const addressesOf = ({ finalRecipient, originalRecipient }: DeliveryStatus): string[] =>
  [finalRecipient, originalRecipient].filter((name) => name !== null);

function chooseOne(
  candidates: readonly ReportedRecipient[],
  names: readonly string[],
  notFailed: readonly ReportedRecipient[],
): ChosenRecipient | null {
  for (const [i, name] of names.entries()) {
    const matching = withAddress(candidates, [name]);
    // If only the original recipient matches, the message was forwarded.
    if (matching.length === 1) return { recipient: matching[0], identified: i === 0 };
  }
  const [only, ...others] = candidates;
  return others.length === 0 && !notFailed.includes(only) ? { recipient: only, identified: names.length === 0 } : null;
}

/**
 * Returns the recipient that complained: the recipient of the transaction that the report names, or its only recipient.
 * A redacted address (RFC 6590) that matches no recipient counts as no address. Returns null if the recipient is
 * ambiguous, including reports that name several recipients.
 */
export function chooseComplainer(
  candidates: readonly ReportedRecipient[],
  names: readonly string[],
): ChosenRecipient | null {
  const matching = withAddress(candidates, names);
  if (matching.length > 0) return matching.length === 1 ? { recipient: matching[0], identified: true } : null;
  return candidates.length === 1 ? { recipient: candidates[0], identified: names.every(mailReports.isRedacted) } : null;
}

function withAddress(candidates: readonly ReportedRecipient[], names: readonly string[]): ReportedRecipient[] {
  const wanted = new Set(names.map((name) => normaliseAddress(name)));
  return candidates.filter(({ address }) => wanted.has(normaliseAddress(address)));
}

/** True until the recipient has a final status. */
export const isUnfinished = ({ status }: ReportedRecipient): boolean =>
  status === 'scheduled' || status === 'queued' || status === 'sending' || status === 'deferred';

/**
 * No server keeps a message longer before it gives up. The limit also makes old tokens useless to anyone who finds
 * them.
 */
const MAX_AGE_DAYS = 14;
const DAY_MS = 86_400_000;

export const TOO_OLD = `the email was sent more than ${MAX_AGE_DAYS} days ago`;

export const isTooOld = ({ createdAt }: EmailInfo, { sentAt }: ReportedRecipient): boolean =>
  databaseClock.now() - (sentAt ?? createdAt).getTime() > MAX_AGE_DAYS * DAY_MS;
