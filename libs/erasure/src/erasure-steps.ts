import { AuditLog } from '#libs/accounts';
import { eventErasure } from '#libs/bus';
import type { AddressErasure } from '#libs/contracts';
import { EmailErasure } from '#libs/emails';
import { InboundStore } from '#libs/inbound';
import type { Database } from '#libs/persistence';
import { eraseFromEmail } from '#libs/queue';
import type { StatsStore } from '#libs/stats';
import { eraseSuppressions } from '#libs/suppressions';
import { eraseDeliveries } from '#libs/webhooks';
import type { Counted } from './erasure.resource.js';

/** The result of one bounded batch. */
export interface StepResult {
  counts: Partial<Record<Counted, number>>;
  /** Where the next batch of the step begins; null: the step is done. */
  cursor: string | null;
  /** The next batch is not due before this many milliseconds. */
  waitMs?: number;
  /** Messages that must be tried again later. */
  waiting?: number;
  /** Forms of the address that were found and are to be looked for from now on. */
  written?: string[];
}

export interface StepContext {
  database: Database;
  stats: Pick<StatsStore, 'eraseRecipient'>;
  erasure: AddressErasure;
  /** '' for the first batch of a step. */
  cursor: string;
  /** Messages that this pass over them has left out so far. */
  waiting: number;
}

/** Messages, each in a transaction of its own. */
const MESSAGES = 50;
/** Messages whose reports are looked up by one statement. */
const REPORTS = 500;
const OUTBOX_MS = 200;
const DELIVERY_MS = 5_000;
/** Programs may have read the events before they were erased, and write them to webhooks and statistics after that. */
const SETTLE_MS = 10_000;

/**
 * In this order, because the stores further down are written from those further up. Every step may be repeated from any cursor.
 * The last three run twice: see `SETTLE_MS`.
 */
export const STEPS = {
  messages,
  suppressions,
  audit_log: async ({ database, erasure, cursor }) => {
    const { rows, cursor: next } = await new AuditLog().erase(database, erasure, cursor);
    return { counts: { audit_entries: rows }, cursor: next };
  },
  stored_answers: async ({ database, erasure, cursor }) => {
    const { rows, cursor: next } = await new EmailErasure(database, erasure).eraseStoredAnswers(cursor);
    return { counts: { stored_answers: rows }, cursor: next };
  },
  outbox,
  events: async ({ database, erasure, cursor }) => {
    const { rows, cursor: next } = await eventErasure.eraseEvents(database, erasure, cursor);
    return { counts: { events: rows }, cursor: next };
  },
  reports,
  webhooks,
  statistics,
  settling: ({ cursor }) =>
    Promise.resolve(cursor === '' ? { counts: {}, cursor: 'waited', waitMs: SETTLE_MS } : { counts: {}, cursor: null }),
  webhooks_again: webhooks,
  statistics_again: statistics,
} as const satisfies Record<string, (context: StepContext) => Promise<StepResult>>;
export type Step = keyof typeof STEPS;

/** Null after the last step. */
export function stepAfter(step: Step): Step | null {
  const names = Object.keys(STEPS) as Step[];
  return names[names.indexOf(step) + 1] ?? null;
}

async function messages({ database, erasure, cursor, ...pass }: StepContext): Promise<StepResult> {
  const batch = { after: cursor, limit: MESSAGES };
  const { recipients, last } = await new EmailErasure(database, erasure).recipients(batch);
  const counts = { messages: 0, recipients: 0, attempts: 0, bodies: 0, captured_messages: 0 };
  let waiting = cursor === '' ? 0 : pass.waiting;
  for (const emailId of new Set(recipients.map(({ email_id }) => email_id))) {
    const erased = await database.transactionWithRetry((tx) => eraseFromEmail(tx, emailId, erasure));
    if (erased === null) waiting += 1;
    else {
      counts.messages += 1;
      counts.recipients += erased.recipients;
      counts.attempts += erased.attempts;
      counts.bodies += erased.bodies;
      counts.captured_messages += erased.captured;
    }
  }
  const written = recipients.map(({ address }) => address);
  if (last !== null) return { counts, cursor: last, waiting, written };
  // From the beginning, for the messages that were left out.
  return waiting > 0
    ? { counts, cursor: '', waiting, written, waitMs: DELIVERY_MS }
    : { counts, cursor: null, waiting, written };
}

async function suppressions({ database, erasure }: StepContext): Promise<StepResult> {
  const entries = await database.transactionWithRetry((tx) => eraseSuppressions(tx, erasure));
  return { counts: { suppressions: entries }, cursor: null };
}

/** Waits until the events of everything that was changed above are in the log. */
async function outbox({ database, cursor }: StepContext): Promise<StepResult> {
  const newest = cursor === '' ? await eventErasure.newestOutboxRow(database) : cursor;
  if (await eventErasure.isMoved(database, newest)) return { counts: {}, cursor: null };
  return { counts: {}, cursor: newest, waitMs: OUTBOX_MS };
}

async function reports({ database, erasure, cursor }: StepContext): Promise<StepResult> {
  const emailIds = await new EmailErasure(database, erasure).erasedEmails({ after: cursor, limit: REPORTS });
  const erased = emailIds.length === 0 ? 0 : await new InboundStore(database).erase(emailIds, erasure);
  const next = emailIds.length === REPORTS ? emailIds[emailIds.length - 1] : null;
  return { counts: { inbound_reports: erased }, cursor: next };
}

async function webhooks({ database, erasure, cursor }: StepContext): Promise<StepResult> {
  const parked = cursor === '' ? await eventErasure.eraseParkedEvents(database, erasure) : 0;
  const { rows, cursor: next } = await eraseDeliveries(database, erasure, cursor);
  return { counts: { webhook_deliveries: rows, events: parked }, cursor: next };
}

async function statistics({ stats, erasure }: StepContext): Promise<StepResult> {
  return { counts: { statistics_rows: await stats.eraseRecipient(erasure) }, cursor: null };
}
