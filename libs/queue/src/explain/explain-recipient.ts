import type { Standing } from '#libs/accounts';
import type { SendingPause } from '#libs/contracts';
import { type RecipientRow, recipientRows } from '#libs/emails';
import type { WaitReason } from '#libs/mta';
import type { HeldView, RecipientExplanation } from '../explanation.resource.js';

/** A delivery that was followed by a bounce. */
export interface Taken {
  mx: string | null;
  at: Date;
}

/** Facts that the row of the recipient does not hold. */
export interface Surroundings {
  /** Null unless a server accepted the message and it bounced later. */
  taken: Taken | null;
  standing: Standing;
  /** Null unless sending is paused because of bounces or complaints. */
  pause: SendingPause | null;
  /** Recipients of the account that come before it if it is due, up to `COUNTED_TO`; null if not counted. */
  ahead: number | null;
  /** Whether it failed because the sending domain was removed from the account. */
  domainWasRemoved: boolean;
  now: Date;
}

/** The largest number of recipients that are counted before a due one. */
export const COUNTED_TO = 10_000;
/** Unless something is in the way, due recipients are claimed within a second or two. */
const LATE_MS = 10_000;

type Reason = Pick<RecipientExplanation, 'waiting_for' | 'until' | 'because'>;

export function explainRecipient(row: RecipientRow, facts: Surroundings): RecipientExplanation {
  const reason = reasonOf(row, facts);
  return {
    address: row.address,
    type: row.type,
    state: row.status,
    ...reason,
    ahead: reason.waiting_for === 'worker' && isDueAt(row, facts.now) ? facts.ahead : null,
    held: reason.waiting_for === 'shaping' && row.wait_reason !== null ? heldView(row.wait_reason) : null,
    smtp: recipientRows.smtp(row),
    gives_up_at: reason.waiting_for === null ? null : row.expires_at.toISOString(),
  };
}

const heldView = ({ kind, queue, source, mx, words }: WaitReason): HeldView => ({ kind, queue, source, mx, words });

function reasonOf(row: RecipientRow, facts: Surroundings): Reason {
  switch (row.status) {
    case 'sending': {
      const because = row.attempts === 0 ? 'It is being delivered.' : `It is being delivered again. ${lastWords(row)}`;
      return { waiting_for: 'answer', until: null, because };
    }
    case 'scheduled':
    case 'queued':
    case 'deferred':
      return waiting(row, row.status, facts);
    case 'delivered':
      return over(`The receiving server took it. ${lastWords(row)}`);
    case 'bounced':
      return over(refusal(row, facts.taken));
    case 'complained':
      return over('It was delivered, and reported as unwanted.');
    case 'failed':
      return over(failure(row, facts));
    case 'suppressed':
      return over('The address was on the suppression list when the email was due.');
    case 'canceled':
      return over('It was canceled before anything was sent.');
  }
}

const over = (because: string): Reason => ({ waiting_for: null, until: null, because: because.trim() });

function waiting(
  row: RecipientRow,
  status: 'scheduled' | 'queued' | 'deferred',
  { standing, pause, ahead, now }: Surroundings,
): Reason {
  const words = lastWords(row);
  if (standing !== 'active')
    return {
      waiting_for: 'account',
      until: null,
      because: `The account is ${standing}, so its emails are held. ${words}`.trim(),
    };
  if (pause !== null)
    return { waiting_for: 'account', until: null, because: `${pausedBecause(pause)} ${words}`.trim() };
  const due = row.due_at ?? now;
  if (due <= now) {
    const because = [isDue(row, { due, ahead, now }), words].filter((part) => part !== '').join(' ');
    return { waiting_for: 'worker', until: null, because };
  }
  const until = due.toISOString();
  if (row.wait_reason !== null) return { waiting_for: 'shaping', until, because: heldBack(row.wait_reason) };
  switch (status) {
    case 'scheduled':
      return { waiting_for: 'schedule', until, because: 'It was accepted to be sent at a later time.' };
    case 'queued':
      return { waiting_for: 'worker', until, because: 'It was held back when it was due and is looked at again then.' };
    case 'deferred':
      return { waiting_for: 'retry', until, because: words || 'The last attempt ended without an answer.' };
  }
}

function pausedBecause({ reason, paused_at, ...counts }: SendingPause): string {
  const { recipients, hard_bounces, complaints, limit_percent } = counts;
  const event = reason === 'bounces' ? `${hard_bounces} bounced permanently` : `${complaints} complained`;
  return (
    `Sending of the account has been paused since ${paused_at}, so its emails are held: of ${recipients} recipients ` +
    `${event}, more than ${limit_percent}%.`
  );
}

/** It is due and was not claimed at once. */
export function isLate({ status, claimed, due_at: due }: RecipientRow, now: Date): boolean {
  const isOpen = !claimed && (status === 'queued' || status === 'deferred' || status === 'scheduled');
  return isOpen && due !== null && now.getTime() - due.getTime() >= LATE_MS;
}

/** It is neither claimed nor put off. */
export const isDueAt = ({ claimed, due_at: due }: RecipientRow, now: Date): boolean =>
  !claimed && due !== null && due <= now;

function isDue(row: RecipientRow, { due, ahead, now }: { due: Date; ahead: number | null; now: Date }): string {
  const domain = row.address.slice(row.address.lastIndexOf('@') + 1);
  const before = ahead ? ` ${countOf(ahead)} at ${domain} ${ahead === 1 ? 'comes' : 'come'} before it.` : '';
  if (now.getTime() - due.getTime() < LATE_MS) return `It is due; the next free worker takes it.${before}`;
  return (
    `It has been due since ${due.toISOString()}.${before} Emails of other accounts to ${domain} take turns with those of ` +
    'this account, the servers there are slow, or no delivery program runs.'
  );
}

function countOf(ahead: number): string {
  if (ahead >= COUNTED_TO) return `At least ${COUNTED_TO} recipients of this account`;
  return ahead === 1 ? 'One recipient of this account' : `${ahead} recipients of this account`;
}

function heldBack({ text, words, mx }: WaitReason): string {
  return words === null ? text : `${text} ${mx ?? 'The receiving server'} answered: ${words}`;
}

/** A server that was never connected to, or was not sent the message, has refused nothing. */
function refusal(row: RecipientRow, taken: Taken | null): string {
  if (taken !== null) return cameBack(row, taken);
  return row.smtp_code === null || row.mx === null
    ? `It cannot be delivered: ${lastWords(row)}`
    : `The receiving side refused it for good. ${lastWords(row)}`;
}

/** The row holds the text of the report in place of the reply with which the message was accepted. */
const cameBack = (row: RecipientRow, { mx, at }: Taken): string =>
  `${mx ?? 'The receiving server'} took it at ${at.toISOString()}, and it came back. ${lastWords(row, 'reported')}`;

function failure(row: RecipientRow, { domainWasRemoved, now }: Surroundings): string {
  if (domainWasRemoved) return 'The sending domain was removed from the account.';
  if (row.expires_at <= now) return `The time in which it was to be delivered is over. ${lastWords(row)}`;
  return `It was given up. ${lastWords(row)}`;
}

/** `mx.example.org answered: 450 4.2.0 try later`; without a reply, the error instead. */
function lastWords(row: RecipientRow, verb: 'answered' | 'reported' = 'answered'): string {
  const { smtp_code: code, smtp_enhanced: enhanced, smtp_text: text, mx } = row;
  if (text === null) return '';
  // Our own text about a host often begins with its name.
  if (code === null) return mx === null || text.startsWith(mx) ? text : `${mx}: ${text}`;
  const said = [code, enhanced, text].filter((part) => part !== null && part !== '').join(' ');
  return mx === null ? said : `${mx} ${verb}: ${said}`;
}
