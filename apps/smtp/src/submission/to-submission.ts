import { createHash } from 'node:crypto';
import type { Principal } from '#libs/accounts';
import type { Idempotency, relayedOptions, Submission } from '#libs/emails';
import { normaliseAddress, parseRecipient, type Mailbox } from '#libs/mime';
import type { SMTPServerAddress } from 'smtp-server';
import type { HeaderMailboxes, SubmittedMessage } from './submitted-message.js';

/** The state that MAIL and RCPT leave for DATA. */
export interface Transaction {
  /** When MAIL was accepted, as `performance.now()`: every recipient was checked later. */
  startedAt: number;
  /** An accepted recipient is suppressed for some sending domain; only the header shows which domain this mail has. */
  someListed: boolean;
  /** Recipients that were refused because they are suppressed, normalised. */
  refused: string[];
}

export type RelayedOptions = ReturnType<typeof relayedOptions>;

interface Envelope {
  principal: Principal;
  transaction: Transaction;
  rcptTo: SMTPServerAddress[];
}

export function toSubmission(message: SubmittedMessage, options: RelayedOptions, envelope: Envelope): Submission {
  const { relayed, octets, mailboxes } = message;
  const { principal, transaction, rcptTo } = envelope;
  const { idempotencyKey: key, tags, scheduledAt, unsubscribe, tracking, priority } = options;
  return {
    accountId: principal.accountId,
    keyId: principal.keyId,
    mode: principal.mode,
    allowedDomains: principal.domainIds,
    source: 'smtp',
    from: relayed.from,
    ...recipientsByField(rcptTo, mailboxes),
    replyTo: mailboxes.replyTo,
    subject: relayed.subject,
    tags,
    content: {
      format: 'mime',
      message: octets,
      messageId: relayed.messageId,
      files: relayed.files,
    },
    scheduledAt,
    idempotency: key === null ? null : { ...idempotencyScopes(envelope), key, bodyHash: null },
    unsubscribe,
    tracking,
    priority,
    suppressionsAskedAt: transaction.someListed ? undefined : transaction.startedAt,
    // Single recipients cannot be refused after DATA: the others get the mail, and an event gives the reason.
    suppressed: 'skip_some',
  };
}

/** The recipients are those of RCPT and no others; the header only decides which of them count as To, Cc and Bcc. */
function recipientsByField(
  rcptTo: readonly SMTPServerAddress[],
  header: HeaderMailboxes,
): Pick<Submission, 'to' | 'cc' | 'bcc'> {
  const inTo = new Set(header.to.map((mailbox) => normaliseAddress(mailbox.address)));
  const inCc = new Set(header.cc.map((mailbox) => normaliseAddress(mailbox.address)));
  const to: Mailbox[] = [];
  const cc: Mailbox[] = [];
  const bcc: Mailbox[] = [];
  for (const { address } of rcptTo) {
    const mailbox = parseRecipient(address) as Mailbox;
    const normal = normaliseAddress(address);
    (inTo.has(normal) ? to : inCc.has(normal) ? cc : bcc).push(mailbox);
  }
  return { to, cc, bcc };
}

/**
 * The content does not identify a repetition, since clients write a new Date and Message-ID each time; the recipients do:
 * a client that submits one mail in several transactions gives all of them the same key, and none is a repetition.
 * Suppressed recipients that were refused count, because a repetition may find others suppressed. A client may also omit
 * them from a repetition, so the accepted recipients alone are a second scope (docs/decisions/011-idempotency-over-smtp.md).
 */
function idempotencyScopes({ principal, transaction, rcptTo }: Envelope): Pick<Idempotency, 'scope' | 'alias'> {
  const { refused } = transaction;
  const accepted = rcptTo.map(({ address }) => normaliseAddress(address));
  const scopeOf = (recipients: readonly string[]): string => {
    const mark = createHash('sha256')
      .update([...new Set(recipients)].sort().join('\n'))
      .digest('base64url');
    return `${principal.accountId}:${principal.mode}:smtp:${mark}`;
  };
  return { scope: scopeOf([...accepted, ...refused]), alias: refused.length > 0 ? scopeOf(accepted) : undefined };
}
