import { Injectable } from '@nestjs/common';
import {
  seesEvent,
  timeOfId,
  visibleDomains,
  type LoggedEvent,
  type Page,
  type PageRequest,
  type Visibility,
} from '#libs/contracts';
import { Config, databaseClock } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { BATCH_END, earliestMove, elementColumns, POSITION, toLoggedEvent, type LoggedEventRow } from './event-row.js';

/** Selects events of an account; all if empty. */
export interface HistoryFilter {
  types?: readonly string[];
  /** The id of a message, domain or webhook. */
  key?: string;
  domainId?: string;
  /** The spellings of the address that the event is about, in lower case. */
  recipients?: readonly string[];
  /** When it happened. Inclusive. */
  createdAfter?: Date;
  /** Exclusive. Events that reached the log more than an hour after this time are not found. */
  createdBefore?: Date;
}

/** Clocks of programs that make events may be ahead of that of the database by this much. */
const CLOCK_SLACK_MS = 60_000;
/** An event is moved to the log after it happened; a longer backlog of the outbox is rare. */
const MAX_BACKLOG_MS = 3_600_000;
/** A step of the clock is in its record long before so much time has passed. */
const UNRECORDED_STEP_MS = 86_400_000;

/** The largest number of events of the account that are examined for one page. */
const MAX_EVENTS = 10_000;
/** The same in batches: of other accounts, a batch may have any number of events. */
const MAX_BATCHES = 4_000;
/** A scan that was cut off by MAX_BATCHES found its last event in one of the last so many batches. */
const BATCHES_WITHOUT_EVENT = 32;

/** Condition on an event, by the values of `eventVisibility` from parameter `$first` on. `column` gives its columns. */
const visibleEvents = (first: number, column: (name: string) => string) =>
  `${column('account_id')} = $${first} AND ($${first + 1}::boolean IS FALSE OR ${column('test')})
   AND ($${first + 2}::text[] IS NULL OR ${column('domain_id')} = ANY ($${first + 2}))`;

const eventVisibility = (visibility: Visibility) => [
  visibility.accountId,
  visibility.mode === 'test',
  visibleDomains(visibility),
];

/** For a FROM clause: the batch `b` with event $1, and its subscript `event.subscript`. $2: not moved before. */
const BATCH_WITH_EVENT = `event_log AS b CROSS JOIN LATERAL array_position(b.event_id, $1) AS event (subscript)
  WHERE b.event_ids @> $1::text AND b.moved_at >= $2 AND event.subscript IS NOT NULL`;

/** An event of the account, as the place in the log where a page begins. */
interface Place {
  position: number;
  movedAt: Date;
}

/** The cursor of the end of the log: the page before it has the newest events. */
export const LATEST = 'latest';

/** Before the first event. */
const START: Place = { position: 0, movedAt: new Date(0) };

/** Whether the scan ended before the log did, and the last event that it examined; null if there is none. */
type HistoryRow = LoggedEventRow & { is_cut: boolean; last_id: string | null };

/**
 * The events of one account in the order of the log, oldest first, always from PostgreSQL. A page has a bounded cost: if a
 * filter, or what the key sees, matches few of many events, the page is short, `has_more` is true, and its cursor leads on.
 * So the cursor of a page may be any event of the account.
 */
@Injectable()
export class AccountHistory {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
  ) {}

  /** Whether the log keeps no events of the time when this one was made. */
  isExpired(eventId: string): boolean {
    return timeOfId(eventId).getTime() < databaseClock.now() - this.config.settings.RETENTION_EVENTS;
  }

  /** Null if the cursor is neither an event of this account nor `LATEST`, for `before` only. Entries are in the order of the log, for `before` too. */
  async page(
    visibility: Visibility,
    request: PageRequest,
    filter: HistoryFilter = {},
  ): Promise<Page<LoggedEvent> | null> {
    const cursor = request.before ?? request.after;
    const from = await this.startOf(visibility.accountId, cursor);
    if (from === null) return null;
    const movedBefore = filter.createdBefore && (await this.lastMoveOf(filter.createdBefore));
    const rows = await this.scan(
      { visibility, from, isBackwards: request.before !== undefined, movedBefore, ...filter },
      request.limit,
    );
    const [{ is_cut: isScanCut, last_id }] = rows;
    const events = rows.filter(({ event_id }) => event_id !== null).map(toLoggedEvent);
    // After the page is cut: the data of events are not read to choose them.
    const data = events.slice(0, request.limit).filter((event) => seesEvent(visibility, event));
    const isCut = events.length > request.limit;
    const has_more = isCut || isScanCut;
    const next = isCut ? events[request.limit - 1].event.id : last_id;
    if (request.before !== undefined) data.reverse();
    return { object: 'list', has_more, data, next_cursor: has_more ? next : null };
  }

  /** Null for an unknown id and for an event that the key does not see. */
  async find(visibility: Visibility, eventId: string): Promise<LoggedEvent | null> {
    const { rows } = await this.database.query<LoggedEventRow>(
      `SELECT ${elementColumns('event.subscript')} FROM ${BATCH_WITH_EVENT}
          AND ${visibleEvents(3, (name) => `b.${name}[event.subscript]`)}`,
      [eventId, earliestMove(eventId), ...eventVisibility(visibility)],
    );
    const found = rows.length === 0 ? null : toLoggedEvent(rows[0]);
    return found !== null && seesEvent(visibility, found) ? found : null;
  }

  private async startOf(accountId: string, cursor: string | undefined): Promise<Place | null> {
    if (cursor === undefined) return START;
    if (cursor === LATEST) {
      const movedAt = new Date(Math.max(databaseClock.now(), await this.lastMove()));
      return { position: Number.MAX_SAFE_INTEGER, movedAt };
    }
    return this.placeOf(accountId, cursor);
  }

  /**
   * When the newest event was moved, in milliseconds since 1970. Ahead of the clock after the clock was set back: the time of moves
   * never decreases.
   */
  private async lastMove(): Promise<number> {
    const { rows } = await this.database.query<{ moved_at: Date }>({
      name: 'bus-history-head',
      text: 'SELECT moved_at FROM event_log_head',
      values: [],
    });
    // A Date has no microseconds.
    return rows[0].moved_at.getTime() + 1;
  }

  /** No event that happened before `time` was moved to the log later. */
  private async lastMoveOf(time: Date): Promise<Date> {
    const expected = databaseClock.latestOf(time).getTime() + MAX_BACKLOG_MS;
    const now = databaseClock.now();
    if (time.getTime() < now - UNRECORDED_STEP_MS) return new Date(expected);
    const head = await this.lastMove();
    return new Date(head > now + CLOCK_SLACK_MS ? Math.max(expected, head) : expected);
  }

  private async placeOf(accountId: string, eventId: string): Promise<Place | null> {
    const { rows } = await this.database.query<{ position: string; moved_at: Date }>(
      `SELECT b.first_position + event.subscript - 1 AS position, b.moved_at FROM ${BATCH_WITH_EVENT}
          AND b.account_id[event.subscript] = $3`,
      [eventId, earliestMove(eventId), accountId],
    );
    return rows.length === 0 ? null : { position: Number(rows[0].position), movedAt: rows[0].moved_at };
  }

  /** At least one row, with a null event if nothing was found. `limit + 1` events mean that there are more. */
  private async scan(of: Scan, limit: number): Promise<HistoryRow[]> {
    const order = of.isBackwards ? 'DESC' : 'ASC';
    const last = of.isBackwards ? 'min' : 'max';
    const values: unknown[] = [
      of.visibility.accountId,
      of.from.position,
      of.types ?? null,
      of.domainId ?? null,
      visibleDomains(of.visibility),
      limit + 1,
      of.from.movedAt,
      ...(of.key === undefined ? [] : [of.key, earliestMove(of.key)]),
    ];
    const add = (value: unknown) => `$${values.push(value)}`;
    // Read only if a filter needs them: the data of an event are most of its bytes.
    const extra = extraConditions(of, add);
    const { rows } = await this.database.query<HistoryRow>(
      `WITH scanned AS MATERIALIZED (
         SELECT b.number, b.moved_at, ${POSITION} AS position, b.ending, event.subscript, event.event_id, event.type, event.domain_id${extra.columns.map((column) => `, event.${column}`).join('')}
           FROM (${of.key === undefined ? accountBatches(of, add) : keyBatches(of)}) AS b,
                LATERAL (
                  SELECT * FROM unnest(b.event_id, b.account_id, b.domain_id, b.type, b.test, b.key${extra.columns.map((column) => `, b.${column}`).join('')}) WITH ORDINALITY
                         AS each (event_id, account_id, domain_id, type, test, key${extra.columns.map((column) => `, ${column}`).join('')}, subscript)
                   ORDER BY subscript ${order}) AS event
          WHERE event.account_id = $1 AND ${POSITION} ${of.isBackwards ? '<' : '>'} $2
                ${of.visibility.mode === 'test' ? 'AND event.test' : ''} ${of.key === undefined ? '' : 'AND event.key = $8'}
          LIMIT ${MAX_EVENTS}),
       ends AS (SELECT ${last}(position) AS position,
                       count(*) = ${MAX_EVENTS} OR coalesce(max(number), 0) > ${MAX_BATCHES - BATCHES_WITHOUT_EVENT} AS is_cut
                  FROM scanned),
       chosen AS (
         SELECT * FROM scanned
          WHERE ($3::text[] IS NULL OR type = ANY($3)) AND ($4::text IS NULL OR domain_id = $4)
            AND ($5::text[] IS NULL OR domain_id = ANY ($5))${extra.where}
          ORDER BY position ${order} LIMIT $6)
       SELECT ends.is_cut, (SELECT event_id FROM scanned WHERE position = ends.position) AS last_id, event.*
         FROM ends LEFT JOIN (
           SELECT ${elementColumns('chosen.subscript')}
             FROM chosen JOIN event_log AS b ON b.moved_at = chosen.moved_at AND ${BATCH_END} = chosen.ending) AS event ON true
        ORDER BY event.position ${order}`,
      values,
    );
    return rows;
  }
}

interface Scan extends HistoryFilter {
  visibility: Visibility;
  from: Place;
  isBackwards: boolean;
  /** With `createdBefore`: when the last of its events was moved. */
  movedBefore?: Date;
}

type AddValue = (value: unknown) => string;

/** The conditions on the columns of an event that other filters do not read. */
function extraConditions(
  { recipients, createdAfter, createdBefore }: HistoryFilter,
  add: AddValue,
): { columns: string[]; where: string } {
  const columns: string[] = [];
  const and: string[] = [];
  if (recipients !== undefined) {
    columns.push('data');
    and.push(`normalize(lower(data ->> 'recipient'), NFC) = ANY (${add(recipients)}::text[])`);
  }
  if (createdAfter !== undefined || createdBefore !== undefined) columns.push('created_at');
  if (createdAfter !== undefined) and.push(`created_at >= ${add(createdAfter)}::timestamptz`);
  if (createdBefore !== undefined) and.push(`created_at < ${add(createdBefore)}::timestamptz`);
  return { columns, where: and.map((condition) => ` AND ${condition}`).join('') };
}

/** The batches with events of account $1 from position $2 on, in order; $7: when the event at that position was moved. */
function accountBatches(of: Scan, add: AddValue): string {
  const order = of.isBackwards ? 'DESC' : 'ASC';
  const from = of.isBackwards
    ? "moved_at <= $7::timestamptz + interval '1 s' AND first_position < $2"
    : `moved_at >= $7 AND ${BATCH_END} > $2::bigint + 1`;
  const { createdAfter, movedBefore } = of;
  const movedAfter = createdAfter && new Date(createdAfter.getTime() - CLOCK_SLACK_MS);
  const since = movedAfter === undefined ? '' : `AND moved_at >= ${add(movedAfter)}::timestamptz`;
  const until = movedBefore === undefined ? '' : `AND moved_at <= ${add(movedBefore)}::timestamptz`;
  // In the text of the statement: the planner must see that the partial index suffices.
  const ofMode = of.visibility.mode === 'test' ? 'AND has_test' : '';
  return `
    SELECT batch.*, row_number() OVER () AS number
      FROM (SELECT * FROM event_log_accounts WHERE account_id = $1 AND ${from} ${since} ${until} ${ofMode}
             ORDER BY moved_at ${order}, first_position ${order}) AS entry
           CROSS JOIN LATERAL (
             SELECT *, ${BATCH_END} AS ending FROM event_log
              WHERE moved_at = entry.moved_at AND ${BATCH_END} > entry.first_position
                AND ${BATCH_END} <= entry.first_position + entry.count
              ORDER BY ${BATCH_END} ${order}) AS batch
     LIMIT ${MAX_BATCHES}`;
}

/** The batches with events of key $8, in order. Found before they are sorted: the index has no order. */
function keyBatches(of: { isBackwards: boolean }): string {
  return `
    SELECT found.*, 0 AS number
      FROM (SELECT *, ${BATCH_END} AS ending FROM event_log WHERE key @> ARRAY[$8] AND moved_at >= $9 OFFSET 0) AS found
     WHERE $7::timestamptz IS NOT NULL
     ORDER BY ending ${of.isBackwards ? 'DESC' : 'ASC'}`;
}
