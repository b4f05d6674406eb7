import { EMAIL_STATUSES, LAST_EVENTS, type EmailStatus, type LastEvent } from '#libs/contracts';
import { statusesStoredAs } from '../effective-status.js';
import type { ResolvedFilter } from './email-filter.js';
import type { IdScan, ScanContext, ScanBuilder } from './id-scan.js';

type Branch = (context: ScanContext) => string;

/** The ids of the page's range, in its order. */
const inRange = ({ parameters, range }: ScanContext, id = 'id'): string =>
  ` AND ${id} < ${parameters.add(range.below)} AND ${id} > ${parameters.add(range.above)} ORDER BY ${id} ${range.order}`;

/**
 * Scans by status, by last event, or by both. One index contains both as one value, so a filter by one of them merges
 * the scans of all values of the other by id.
 */
export function stateScans({ status, lastEvent }: ResolvedFilter): ScanBuilder[] {
  if (status === undefined && lastEvent === undefined) return [];
  if (status === 'sending') return [(context) => ({ sql: claimed(context), order: ['id'] })];
  const statuses = status === undefined ? EMAIL_STATUSES : statusesStoredAs(status);
  const events = lastEvent === undefined ? LAST_EVENTS : [lastEvent];
  const branches = statuses.flatMap((stored) => events.map((event) => stateBranch(stored, event)));
  if (statuses.includes('delivered') && events.includes('delivered')) branches.push(deliveredClaimedOnAccept);
  const isQueued = statuses.includes('queued') && events.includes('queued');
  if (isQueued) branches.push(released);
  // A claimed email has the effective status `sending`, whatever its row contains, and keeps its last event.
  if (isQueued && status === undefined) branches.push(claimed);
  return [(context) => mergedScan(branches, context, isQueued)];
}

const WAITING: readonly EmailStatus[] = ['scheduled', 'queued', 'sending', 'deferred'];

/** The emails of which a recipient may be waiting. */
export const waitingScan: ScanBuilder = (context) => {
  const states = WAITING.flatMap((stored) => LAST_EVENTS.map((event) => stateBranch(stored, event)));
  return mergedScan([...states, partlyFailed, released, claimed], context, true);
};

/** Merges branches by id. `overlap`: an email found both by its row and by a recipient occurs once. */
function mergedScan(branches: readonly Branch[], context: ScanContext, overlap: boolean): IdScan {
  const merged = branches.map((branch) => `(${branch(context)})`).join(' UNION ALL ');
  const sql = `SELECT ${overlap ? 'DISTINCT ' : ''}id FROM (${merged}) AS branches ORDER BY id ${context.range.order}`;
  return { sql, order: ['id'] };
}

const stateBranch =
  (stored: EmailStatus, event: LastEvent): Branch =>
  (context) =>
    `SELECT id FROM emails WHERE account_id = ${context.account} AND state = ${context.parameters.add(`${stored} ${event}`)}${inRange(context)}`;

/**
 * Emails claimed on accept keep this state until and after delivery; the few that are not delivered yet are filtered
 * out.
 */
const deliveredClaimedOnAccept: Branch = (context) =>
  `SELECT id FROM emails WHERE account_id = ${context.account} AND state = 'claimed' AND status = 'delivered'${inRange(context)}`;

/** The status of an email is the worst of its recipients, so that another recipient may be waiting. */
const partlyFailed: Branch = (context) =>
  `SELECT id FROM emails
    WHERE account_id = ${context.account} AND recipient_count > 1
      AND split_part(state, ' ', 1) IN ('failed', 'bounced', 'complained')${inRange(context)}`;

/** Of all accounts: emails that wait again because a worker stopped or a limit was reached. */
const released: Branch = (context) =>
  `SELECT email_id AS id FROM recipients
    WHERE claimed_by IS NULL AND due_at IS NOT NULL AND attempts = 0 AND fence > 0${inRange(context, 'email_id')}`;

/** Of all accounts; bounded by the number of claims that all workers hold. */
const claimed: Branch = (context) =>
  `SELECT id FROM (
     WITH claimed AS MATERIALIZED (SELECT email_id AS id FROM recipients WHERE claimed_by IS NOT NULL)
     SELECT DISTINCT id FROM claimed) AS claimed
    WHERE true${inRange(context)}`;
