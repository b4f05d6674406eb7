import { Injectable } from '@nestjs/common';
import {
  newId,
  Refusal,
  timeOfId,
  toPage,
  visibleDomains,
  type Page,
  type PageRequest,
  type Visibility,
} from '#libs/contracts';
import { databaseClock, LocalNotifications } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { webhookIsVisible } from '../endpoints/visible-webhooks.js';
import { deliveryQuery } from './delivery-query.js';
import type { DeliveryStatus } from '../webhook-event.resource.js';
import { webhookReplay, type ReplayRow, type ReplayView } from '../webhook-replay.resource.js';
import { isEnabled, requeue, webhookDisabled } from './requeue.js';

/** Events that one step of a replay queues at most. */
const STEP_EVENTS = 500;
/** With so many due events at the endpoint, a replay waits, so that new events do not wait behind all of it. */
const BACKLOG_LIMIT = 500;
/** Replays that one round takes a step of; the others follow in the next. */
const STEP_REPLAYS = 10;
const IDEMPOTENCY = `interval '24 hours'`;

/** The events to replay, by the time at which they were queued for the endpoint. */
export interface ReplayRange {
  from: Date;
  /** Exclusive; absent: the start of the replay. */
  to?: Date;
  types?: readonly string[];
  status?: DeliveryStatus;
  /** The delivery after which the replay begins. */
  after?: string;
}

/** A retry of the same request finds the replay by its key. */
export interface ReplayIdempotency {
  key: string;
  bodyHash: Buffer | null;
}

/**
 * Replays of a time range. A replay is a row that the dispatchers work off in steps, each in one transaction with the
 * position that it has reached: a step that is repeated after a crash queues nothing twice.
 */
@Injectable()
export class WebhookRangeReplays {
  /** Replays of one endpoint that run at the same time. */
  static readonly most = 5;

  constructor(
    private readonly database: Database,
    private readonly notifications: LocalNotifications,
  ) {}

  /**
   * Starts a replay, or returns the running one with the same range, or the one with the same key. Null if the key sees no
   * such endpoint.
   * @throws Refusal `conflict` (webhook_disabled, too_many_replays); `validation_error` for a range that ends before it
   * begins; `idempotency_mismatch`
   */
  async start(
    visibility: Visibility,
    webhookId: string,
    { range, idempotency }: { range: ReplayRange; idempotency: ReplayIdempotency | null },
  ): Promise<{ replay: ReplayView; replayed: boolean } | null> {
    if (range.to && range.to <= range.from) throw emptyRange();
    const result = await this.database.transaction(async (tx) => {
      await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhook replays ${webhookId}`]);
      const enabled = await isEnabled(tx, visibility, webhookId);
      if (enabled === null) return null;
      const known = idempotency && (await earlierReplay(tx, webhookId, idempotency));
      if (known) return { replay: toReplayView(known), replayed: true };
      if (!enabled) throw webhookDisabled();
      return {
        replay: toReplayView(await startOrJoin(tx, { visibility, webhookId, range, idempotency })),
        replayed: false,
      };
    });
    this.notifications.notify('webhook-replays');
    return result;
  }

  /** Newest first. Null if the key sees no such endpoint. */
  async list(visibility: Visibility, webhookId: string, page: PageRequest): Promise<Page<ReplayView> | null> {
    if (!(await this.isVisible(visibility, webhookId))) return null;
    const newestFirst = page.before === undefined;
    const { rows } = await this.database.query<ReplayRow>(
      `SELECT ${COLUMNS} FROM webhook_replays WHERE webhook_id = $1 AND id ${newestFirst ? '<' : '>'} $2
        ORDER BY id ${newestFirst ? 'DESC' : 'ASC'} LIMIT $3`,
      [webhookId, page.after ?? page.before ?? '~', page.limit + 1],
    );
    return toPage(page, rows, { id: (row) => row.id, present: toReplayView });
  }

  /** Null if the key sees no such replay. */
  async find(visibility: Visibility, webhookId: string, id: string): Promise<ReplayView | null> {
    if (!(await this.isVisible(visibility, webhookId))) return null;
    const { rows } = await this.database.query<ReplayRow>(
      `SELECT ${COLUMNS} FROM webhook_replays WHERE webhook_id = $1 AND id = $2`,
      [webhookId, id],
    );
    return rows.length === 0 ? null : toReplayView(rows[0]);
  }

  /** Queues no more events; one that has ended stays as it is. Null if the key sees no such replay. */
  async cancel(visibility: Visibility, webhookId: string, id: string): Promise<ReplayView | null> {
    if (!(await this.isVisible(visibility, webhookId))) return null;
    await this.database.query(
      `UPDATE webhook_replays SET status = 'canceled', updated_at = now()
        WHERE webhook_id = $1 AND id = $2 AND status = 'running'`,
      [webhookId, id],
    );
    return this.find(visibility, webhookId, id);
  }

  /** One step of each running replay. Any number of programs may call it at the same time. */
  async step(): Promise<'idle' | 'waiting' | 'busy'> {
    const { rows } = await this.database.query<ReplayRow>({
      name: 'webhooks-next-replay',
      text: `SELECT ${COLUMNS} FROM webhook_replays WHERE status = 'running' ORDER BY updated_at LIMIT ${STEP_REPLAYS}`,
      values: [],
    });
    let isBusy = false;
    for (const replay of rows) isBusy = (await this.database.transaction((tx) => stepOf(tx, replay))) || isBusy;
    if (rows.length === 0) return 'idle';
    this.notifications.notify('due-webhooks');
    return isBusy ? 'busy' : 'waiting';
  }

  private async isVisible(visibility: Visibility, webhookId: string): Promise<boolean> {
    const { rowCount } = await this.database.query(
      `SELECT FROM webhooks WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)}`,
      [webhookId, visibility.accountId, visibleDomains(visibility)],
    );
    return rowCount > 0;
  }
}

const COLUMNS = webhookReplay.columns;

async function earlierReplay(
  tx: Queryable,
  webhookId: string,
  { key, bodyHash }: ReplayIdempotency,
): Promise<ReplayRow | null> {
  await tx.query(
    `UPDATE webhook_replays SET idempotency_key = NULL
      WHERE webhook_id = $1 AND idempotency_key = $2 AND created_at < now() - ${IDEMPOTENCY}`,
    [webhookId, key],
  );
  const { rows } = await tx.query<ReplayRow>(
    `SELECT ${COLUMNS} FROM webhook_replays WHERE webhook_id = $1 AND idempotency_key = $2`,
    [webhookId, key],
  );
  if (rows.length === 0) return null;
  if (bodyHash && !rows[0].body_hash?.equals(bodyHash)) throw new Refusal('idempotency_mismatch');
  return rows[0];
}

interface NewReplay {
  visibility: Visibility;
  webhookId: string;
  range: ReplayRange;
  idempotency: ReplayIdempotency | null;
}

async function startOrJoin(tx: Queryable, wanted: NewReplay): Promise<ReplayRow> {
  const { webhookId, visibility, range, idempotency } = wanted;
  const values = rangeValues(wanted);
  const running = await tx.query<ReplayRow & { is_same: boolean }>(
    `SELECT ${COLUMNS},
            (test, domain_ids, from_at, to_at, types, delivery_status)
              IS NOT DISTINCT FROM ROW($2::boolean, $3::text[], $4::timestamptz, $5::timestamptz, $6::text[], $7::text) AS is_same
       FROM webhook_replays WHERE webhook_id = $1 AND status = 'running' ORDER BY id`,
    [webhookId, ...values],
  );
  const same = running.rows.find((row) => row.is_same);
  if (same && idempotency === null && range.after === undefined) return same;
  if (running.rows.length >= WebhookRangeReplays.most) throw tooManyReplays();
  const { key = null, bodyHash = null } = idempotency ?? {};
  const { rows } = await tx.query<ReplayRow>(
    `INSERT INTO webhook_replays
       (webhook_id, test, domain_ids, from_at, to_at, types, delivery_status, id, account_id, reached, idempotency_key, body_hash)
     VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12) RETURNING ${COLUMNS}`,
    [webhookId, ...values, newId('rpl'), visibility.accountId, range.after ?? null, key, bodyHash],
  );
  return rows[0];
}

/** From `test` to `delivery_status`. */
function rangeValues({ visibility, range }: NewReplay): unknown[] {
  const { from, to = null, types = null, status = null } = range;
  return [
    visibility.mode === 'test',
    visibleDomains(visibility),
    from,
    to,
    types?.includes('*') ? null : types,
    status,
  ];
}

/** True if the replay goes on at once. Locks the endpoint first, as a removal does. */
async function stepOf(
  tx: Queryable,
  { id, webhook_id: webhookId, account_id: accountId }: ReplayRow,
): Promise<boolean> {
  const endpoint = await tx.query<{ enabled: boolean }>(
    `SELECT status = 'enabled' AS enabled FROM webhooks WHERE id = $1 FOR SHARE`,
    [webhookId],
  );
  const { rows } = await tx.query<ReplayRow>(
    `SELECT ${COLUMNS} FROM webhook_replays WHERE id = $1 AND status = 'running' FOR UPDATE SKIP LOCKED`,
    [id],
  );
  if (rows.length === 0) return false;
  if (endpoint.rows.at(0)?.enabled !== true) {
    await tx.query(`UPDATE webhook_replays SET status = 'stopped', updated_at = now() WHERE id = $1`, [id]);
    return false;
  }
  if (await hasBacklog(tx, webhookId)) {
    await tx.query('UPDATE webhook_replays SET updated_at = clock_timestamp() WHERE id = $1', [id]);
    return false;
  }
  const [replay] = rows;
  const ids = await nextOf(tx, replay);
  const step = ids.slice(0, STEP_EVENTS);
  const queued = (await requeue(tx, { accountId, webhookId, ids: step })).length;
  const isComplete = ids.length <= STEP_EVENTS;
  await tx.query(
    `UPDATE webhook_replays
        SET reached = coalesce($2, reached), queued = queued + $3, skipped = skipped + $4, status = $5,
            updated_at = clock_timestamp()
      WHERE id = $1`,
    [id, step.at(-1) ?? null, queued, step.length - queued, isComplete ? 'completed' : 'running'],
  );
  return !isComplete;
}

async function hasBacklog(tx: Queryable, webhookId: string): Promise<boolean> {
  const { rows } = await tx.query<{ due: number }>(
    `SELECT count(*)::int AS due FROM (
       SELECT FROM webhook_deliveries
        WHERE webhook_id = $1 AND due_at IS NOT NULL AND claimed_by IS NULL AND is_due LIMIT ${BACKLOG_LIMIT}) AS waiting`,
    [webhookId],
  );
  return rows[0].due >= BACKLOG_LIMIT;
}

/** The next deliveries of the replay, and one more if there is one. */
async function nextOf(tx: Queryable, replay: ReplayRow): Promise<string[]> {
  const { text, values } = deliveryQuery('d.id', {
    visibility: {
      accountId: replay.account_id,
      mode: replay.test ? 'test' : 'live',
      domainIds: replay.domain_ids === null ? null : new Set(replay.domain_ids),
    },
    webhookId: replay.webhook_id,
    filter: {
      ...(replay.delivery_status === null ? {} : { status: replay.delivery_status }),
      ...(replay.types === null ? {} : { types: replay.types }),
      createdAfter: replay.from_at,
      createdBefore: replay.to_at ?? databaseClock.latestOf(replay.created_at),
    },
    direction: 'oldest first',
    ...(replay.reached === null ? {} : { beyond: replay.reached }),
    limit: STEP_EVENTS + 1,
  });
  const { rows } = await tx.query<{ id: string }>(text, values);
  return rows.map((row) => row.id);
}

function toReplayView(row: ReplayRow): ReplayView {
  return webhookReplay.toView(row, {
    object: 'webhook_replay',
    filter: {
      from: row.from_at.toISOString(),
      to: (row.to_at ?? row.created_at).toISOString(),
      types: row.types,
      status: row.delivery_status,
    },
    reached_at: row.reached === null ? null : timeOfId(row.reached).toISOString(),
    next_cursor: row.status === 'completed' ? null : row.reached,
  });
}

function tooManyReplays(): Refusal {
  const message = `has ${WebhookRangeReplays.most} running replays; wait for one, or cancel it`;
  return new Refusal('conflict', [{ field: 'id', code: 'too_many_replays', message }], `The webhook ${message}.`);
}

function emptyRange(): Refusal {
  const message = 'must be later than from';
  return new Refusal('validation_error', [{ field: 'to', code: 'out_of_range', message }], `to ${message}.`);
}
