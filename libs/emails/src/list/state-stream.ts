import { EMAIL_STATUSES, LAST_EVENTS, type EmailStatus, type LastEvent } from '#libs/contracts';
import { statusesStoredAs } from '../effective-status.js';
import type { ResolvedFilter } from './email-filter.js';
import type { StreamPlace, StreamWriter } from './id-stream.js';

type Branch = (at: StreamPlace) => string;

/** The ids of the page's range, in its order. */
const inRange = ({ parameters, range }: StreamPlace, id = 'id'): string =>
  ` AND ${id} < ${parameters.add(range.below)} AND ${id} > ${parameters.add(range.above)} ORDER BY ${id} ${range.order}`;

/**
 * By status, by last event, or by both: one index has them as one value, so a filter by one of them merges the values of
 * the other by id.
 */
export function stateStreams({ status, lastEvent }: ResolvedFilter): StreamWriter[] {
  if (status === undefined && lastEvent === undefined) return [];
  if (status === 'sending') return [(at) => ({ sql: claimed(at), order: ['id'] })];
  const statuses = status === undefined ? EMAIL_STATUSES : statusesStoredAs(status);
  const events = lastEvent === undefined ? LAST_EVENTS : [lastEvent];
  const branches = statuses.flatMap((stored) => events.map((event) => stateBranch(stored, event)));
  if (statuses.includes('delivered') && events.includes('delivered')) branches.push(directlyDelivered);
  const isQueued = statuses.includes('queued') && events.includes('queued');
  if (isQueued) branches.push(givenBack);
  // What is claimed has the status `sending`, whatever its row says, and still its last event.
  if (isQueued && status === undefined) branches.push(claimed);
  return [
    (at) => {
      const merged = branches.map((branch) => `(${branch(at)})`).join(' UNION ALL ');
      // A mail of which the row and a recipient tell the same comes once.
      const sql = `SELECT ${isQueued ? 'DISTINCT ' : ''}id FROM (${merged}) AS branches ORDER BY id ${at.range.order}`;
      return { sql, order: ['id'] };
    },
  ];
}

const stateBranch =
  (stored: EmailStatus, event: LastEvent): Branch =>
  (at) =>
    `SELECT id FROM emails WHERE account_id = ${at.account} AND state = ${at.parameters.add(`${stored} ${event}`)}${inRange(at)}`;

/** Among them are a moment's mails that are still on their way. */
const directlyDelivered: Branch = (at) =>
  `SELECT id FROM emails WHERE account_id = ${at.account} AND state = 'direct' AND status = 'delivered'${inRange(at)}`;

/** Of all accounts together: mails that wait again because a worker stopped or a provider's limit was reached. */
const givenBack: Branch = (at) =>
  `SELECT email_id AS id FROM recipients
    WHERE claimed_by IS NULL AND due_at IS NOT NULL AND attempts = 0 AND fence > 0${inRange(at, 'email_id')}`;

/** What is on its way is bounded by what the workers hold at once, of all accounts together. */
const claimed: Branch = (at) =>
  `SELECT id FROM (
     WITH claimed AS MATERIALIZED (SELECT email_id AS id FROM recipients WHERE claimed_by IS NOT NULL)
     SELECT DISTINCT id FROM claimed) AS claimed
    WHERE true${inRange(at)}`;
