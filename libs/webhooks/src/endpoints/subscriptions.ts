import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import {
  LIMITS,
  newId,
  Refusal,
  toPage,
  visibleDomains,
  type Page,
  type PageRequest,
  type SettingsSql,
  type Visibility,
} from '#libs/contracts';
import { Config } from '#libs/kernel';
import { Database, type Queryable } from '#libs/persistence';
import { LessThan, MoreThan, Repository } from 'typeorm';
import { SubscriberLookup } from '../fan-out/subscriber-lookup.js';
import { deletePending } from '../history/removed-endpoints.js';
import { disableWebhook, failPending } from './disable.js';
import {
  webhook,
  type NewWebhook,
  type StoredWebhook,
  type WebhookSettings,
  type WebhookView,
} from '../webhook.resource.js';
import { checkWebhookFields, type WebhookInputOptions } from './fields.js';
import { WebhookSecrets } from './secrets.js';
import { assertReceivable, visibleWebhooks, webhookIsVisible } from './visible-webhooks.js';
import { toWebhookView } from './webhook-view.js';
import { WebhookEntity } from './webhook.entity.js';

/** Of 1,000 deliveries: a request must not take as long as the deletion of any backlog. */
const BATCHES_PER_REMOVAL = 10;

const NATIVE_API: WebhookInputOptions = { payloadFormat: 'native' };

/** Management of endpoints by their accounts. */
@Injectable()
export class WebhookSubscriptions {
  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<StoredWebhook>,
    private readonly database: Database,
    private readonly secrets: WebhookSecrets,
    private readonly subscribers: SubscriberLookup,
    private readonly config: Config,
  ) {}

  /**
   * The result has the secret.
   * @throws Refusal `restricted_api_key` for domains that the key does not see; `missing_required_field` or
   * `validation_error` with all problems; `conflict` (limit_reached)
   */
  async create(
    visibility: Visibility,
    fields: NewWebhook,
    options: WebhookInputOptions = NATIVE_API,
  ): Promise<WebhookView & { secret: string }> {
    const { accountId } = visibility;
    const { url, events, domain_ids, include_bots } = fields;
    assertReceivable(visibility, domain_ids ?? null);
    this.check({ url, events, domain_ids, include_bots }, options, ['url', 'events']);
    const id = newId('wh');
    const { secret, sealed } = this.secrets.create(id);
    const { columns, values } = webhook.settingsSql(unrepeated({ url, events, domain_ids, include_bots }), 5);
    const row = await this.database.transaction(async (tx) => {
      await assertAddable(tx, accountId);
      const { rows } = await tx.query<StoredWebhook>(insertSql(columns), [
        ...[id, accountId, options.payloadFormat, sealed],
        ...values,
      ]);
      return rows[0];
    });
    this.subscribers.invalidate(accountId);
    return { ...toWebhookView(row), secret };
  }

  /** Newest first; at most ten. */
  async list(visibility: Visibility): Promise<WebhookView[]> {
    return (await this.webhooks.find({ where: visibleWebhooks(visibility), order: { id: 'DESC' } })).map(toWebhookView);
  }

  /** One page, newest first. */
  async page(visibility: Visibility, request: PageRequest): Promise<Page<WebhookView>> {
    const { limit, after, before } = request;
    const beyond = after === undefined ? before && MoreThan(before) : LessThan(after);
    const rows = await this.webhooks.find({
      where: { ...visibleWebhooks(visibility), ...(beyond ? { id: beyond } : {}) },
      order: { id: before === undefined ? 'DESC' : 'ASC' },
      take: limit + 1,
    });
    return toPage(request, rows, { id: (row) => row.id, present: toWebhookView });
  }

  /** Null if the key sees no such endpoint. */
  async find(visibility: Visibility, id: string): Promise<WebhookView | null> {
    const row = await this.webhooks.findOneBy({ id, ...visibleWebhooks(visibility) });
    return row && toWebhookView(row);
  }

  /**
   * Changes the given fields. Enabling, or another URL, resets the failures. Disabling fails the pending deliveries, and
   * the other endpoints of the account receive `webhook.disabled`. Null if the key sees no such endpoint.
   * @throws Refusal `restricted_api_key` for domains that the key does not see; `validation_error` with all problems
   */
  async update(
    visibility: Visibility,
    id: string,
    { changes, options = NATIVE_API }: { changes: WebhookSettings; options?: WebhookInputOptions },
  ): Promise<WebhookView | null> {
    const { status, ...settings } = changes;
    const { url, domain_ids } = settings;
    if (domain_ids !== undefined) assertReceivable(visibility, domain_ids);
    this.check(changes, options);
    const { accountId } = visibility;
    const { columns, values } = webhook.settingsSql(unrepeated(settings), 6);
    let found = false;
    await this.database.transaction(async (tx) => {
      const { rowCount } = await tx.query(updateSql(columns), [
        ...[id, accountId, visibleDomains(visibility), status === 'enabled', url ?? null],
        ...values,
      ]);
      // What is known about the earlier target, or from before it was enabled, does not apply.
      if (rowCount > 0 && (url !== undefined || status === 'enabled'))
        await tx.query('DELETE FROM webhook_windows WHERE webhook_id = $1', [id]);
      if (rowCount > 0 && status === 'disabled') await disableWebhook(tx, { id, reason: 'manual' });
      found = rowCount > 0;
    });
    this.subscribers.invalidate(accountId);
    if (found && status === 'disabled') await failPending(this.database, id);
    return this.find(visibility, id);
  }

  /**
   * Removes the endpoint and its pending deliveries; `WebhookRetention` deletes those of a long backlog. False if the key sees no
   * such endpoint.
   */
  async remove(visibility: Visibility, id: string): Promise<boolean> {
    const removed = await this.database.transaction(async (tx) => {
      const { rowCount } = await tx.query(
        `DELETE FROM webhooks WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)}`,
        [id, visibility.accountId, visibleDomains(visibility)],
      );
      if (rowCount === 0) return false;
      await tx.query('DELETE FROM webhook_replays WHERE webhook_id = $1', [id]);
      await tx.query('DELETE FROM webhook_windows WHERE webhook_id = $1', [id]);
      return true;
    });
    this.subscribers.invalidate(visibility.accountId);
    // After the commit: without the endpoint, no delivery of it is claimed any more.
    if (removed) await deletePending(this.database, id, BATCHES_PER_REMOVAL);
    return removed;
  }

  private check(
    fields: WebhookSettings,
    options: WebhookInputOptions,
    required: readonly (keyof WebhookSettings)[] = [],
  ) {
    checkWebhookFields(fields, { ...options, allowPrivate: this.config.settings.ALLOW_PRIVATE_WEBHOOKS }, required);
  }
}

/** @throws Refusal `conflict` (limit_reached) */
async function assertAddable(tx: Queryable, accountId: string): Promise<void> {
  // Makes the count and the insert one step per account: before the first webhook there is no row to lock.
  await tx.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhooks ${accountId}`]);
  const { rows } = await tx.query<{ count: number }>(
    'SELECT count(*)::int AS count FROM webhooks WHERE account_id = $1',
    [accountId],
  );
  if (rows[0].count < LIMITS.webhooksPerAccount) return;
  const message = `An account can have at most ${LIMITS.webhooksPerAccount} webhooks.`;
  throw new Refusal('conflict', [{ field: '', code: 'limit_reached', message }], message);
}

/** `$1` to `$4`: id, account, payload format, secret. */
function insertSql(settings: SettingsSql['columns']): string {
  const [columns, parameters] = [0, 1].map((part) => settings.map((setting) => `, ${setting[part]}`).join(''));
  return `INSERT INTO webhooks (id, account_id, payload_format, secret_sealed${columns})
          VALUES ($1, $2, $3, $4${parameters}) RETURNING ${webhook.columns}`;
}

/** `$1` to `$5`: id, account, visible domains, whether it is enabled by this change, the given URL. */
const updateSql = (settings: SettingsSql['columns']): string => `
  UPDATE webhooks
     SET ${settings.map(([column, value]) => `${column} = ${value}, `).join('')}
         status = CASE WHEN $4 THEN 'enabled' ELSE status END,
         disabled_reason = CASE WHEN $4 THEN NULL ELSE disabled_reason END,
         failing_since = CASE WHEN $4 OR url <> $5 THEN NULL ELSE failing_since END, updated_at = now()
   WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(3)}`;

/** The settings with each event type and each domain once. */
const unrepeated = ({ events, domain_ids, ...others }: WebhookSettings): WebhookSettings => ({
  ...others,
  events: events && [...new Set(events)],
  domain_ids: domain_ids && [...new Set(domain_ids)],
});
