import { hash } from 'node:crypto';
import { Refusal, type RecipientType, type RefusalDetail } from '#libs/contracts';
import { normaliseAddress } from '#libs/mime';
import type { SuppressionList, SuppressionOrigin } from '#libs/suppressions';
import { suppressedAddresses } from '../message/suppression-scope.js';
import type { Submission } from './submission.js';

export interface Recipient {
  /** The envelope address; the local part keeps its case (RFC 5321 §2.4). */
  address: string;
  /** Normalised, as stored in the suppression list. */
  normalised: string;
  type: RecipientType;
  /** The field of the request, such as `to[3]`. */
  field: string;
  /** The reason why no message is sent to this recipient; null if one is sent. */
  suppressed: SuppressionOrigin | null;
}

/** A lookup made by the SMTP session at RCPT is not repeated within this time, in milliseconds. */
const RECENT_LOOKUP_MS = 1_000;

const FIELDS = ['to', 'cc', 'bcc'] as const;

/**
 * Returns the distinct recipients. Depending on `submission.suppressed`, suppressed recipients are marked or cause a
 * refusal.
 * @throws Refusal `recipient_suppressed`, naming every suppressed recipient.
 */
export async function unsuppressedRecipients(
  suppressions: SuppressionList,
  submission: Submission,
  domainId: string,
): Promise<Recipient[]> {
  const recipients = distinctRecipients(submission);
  // A test message is delivered to no recipient.
  if (submission.mode === 'test') return recipients;
  if (performance.now() - (submission.suppressionsAskedAt ?? -Infinity) < RECENT_LOOKUP_MS) return recipients;
  const addresses = recipients.map((recipient) => recipient.normalised);
  const { accountId, tags, source } = submission;
  const isOfService = source === 'service';
  const found = await suppressedAddresses(suppressions, { accountId, domainId, tags, isOfService, addresses });
  if (found.size === 0) return recipients;
  const { suppressed } = submission;
  if (suppressed === 'skip' || (suppressed === 'skip_some' && found.size < recipients.length))
    return recipients.map((recipient) => ({ ...recipient, suppressed: found.get(recipient.normalised) ?? null }));
  const details: RefusalDetail[] = recipients
    .filter((recipient) => found.has(recipient.normalised))
    .map(({ field, address, normalised }) => ({
      field,
      code: 'suppressed',
      message: `${address} is on the suppression list (${found.get(normalised)})`,
    }));
  throw new Refusal('recipient_suppressed', details);
}

/** To, Cc and Bcc without duplicates; the first occurrence of an address counts. */
export function distinctRecipients(submission: Submission): Recipient[] {
  const seen = new Set<string>();
  const result: Recipient[] = [];
  for (const type of FIELDS) {
    submission[type].forEach((mailbox, i) => {
      const normalised = normaliseAddress(mailbox.address);
      if (seen.has(normalised)) return;
      seen.add(normalised);
      result.push({ address: mailbox.address, normalised, type, field: `${type}[${i}]`, suppressed: null });
    });
  }
  return result;
}

/** The same for the header fields of the message: no address occurs in two fields, or twice in one. */
export function withoutDuplicates(submission: Submission): Pick<Submission, (typeof FIELDS)[number]> {
  if (FIELDS.reduce((count, type) => count + submission[type].length, 0) === 1) return submission;
  const seen = new Set<string>();
  const [to, cc, bcc] = FIELDS.map((type) =>
    submission[type].filter(({ address }) => {
      const normalised = normaliseAddress(address);
      return seen.has(normalised) ? false : seen.add(normalised);
    }),
  );
  return { to, cc, bcc };
}

/**
 * The key of lists filtered by the domain of a recipient: 32 bits of a hash of account and domain, as a PostgreSQL integer.
 * Queries also compare account and domain.
 */
export function domainKey(accountId: string, domain: string): number {
  return hash('sha256', `${accountId} ${domain}`, 'buffer').readInt32BE(0);
}

/**
 * The key of lists filtered by recipient: 64 bits of a hash of account and normalised address, as a PostgreSQL bigint.
 * It is short and has the same length for every address. Queries also compare the account, so that a collision shows
 * nothing of another account.
 */
export function searchKey(accountId: string, normalisedAddress: string): string {
  return hash('sha256', `${accountId} ${normalisedAddress}`, 'buffer').readBigInt64BE(0).toString();
}
