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
  type Visibility,
} from '#libs/contracts';
import { Config, databaseClock } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { LessThan, MoreThan, Repository } from 'typeorm';
import { SubscriberLookup } from '../fan-out/subscriber-lookup.js';
import { deletePending } from '../history/removed-endpoints.js';
import { disableWebhook, failPending } from './disable.js';
import { checkWebhookFields, type WebhookInputOptions, type WebhookFields } from './fields.js';
import { WebhookSecrets } from './secrets.js';
import { assertReceivable, visibleWebhooks, webhookIsVisible } from './visible-webhooks.js';
import { toWebhookView, type WebhookView } from './webhook-view.js';
import { Webhook } from './webhook.entity.js';

/** Of 1,000 deliveries: a request must not take as long as the deletion of any backlog. */
const BATCHES_PER_REMOVAL = 10;

const NATIVE_API: WebhookInputOptions = { payloadFormat: 'native' };

/** Management of endpoints by their accounts. */
@Injectable()
export class WebhookSubscriptions {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
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
    fields: Pick<WebhookFields, 'url' | 'events'> & Partial<Pick<WebhookFields, 'domainIds' | 'includeBots'>>,
    options: WebhookInputOptions = NATIVE_API,
  ): Promise<WebhookView & { secret: string }> {
    const { accountId } = visibility;
    const { url, events, domainIds, includeBots } = fields;
    assertReceivable(visibility, domainIds ?? null);
    this.check({ url, events, domainIds, includeBots }, options, ['url', 'events']);
    const id = newId('wh');
    const { secret, sealed } = this.secrets.create(id);
    const row = await this.webhooks.manager.transaction(async (manager) => {
      // Makes the count and the insert one step per account: before the first webhook there is no row to lock.
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhooks ${accountId}`]);
      if ((await manager.countBy(Webhook, { accountId })) >= LIMITS.webhooksPerAccount) throw limitReached();
      const now = databaseClock.date();
      const made = manager.create(Webhook, {
        id,
        accountId,
        url,
        events: unique(events),
        domainIds: unique(domainIds ?? null),
        includeBots: includeBots ?? false,
        payloadFormat: options.payloadFormat,
        status: 'enabled',
        disabledReason: null,
        failingSince: null,
        secretSealed: sealed,
        previousSecretUntil: null,
        createdAt: now,
        updatedAt: now,
      });
      await manager.insert(Webhook, made);
      return made;
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
    { changes, options = NATIVE_API }: { changes: Partial<WebhookFields>; options?: WebhookInputOptions },
  ): Promise<WebhookView | null> {
    const { url, events, domainIds, includeBots, status } = changes;
    if (domainIds !== undefined) assertReceivable(visibility, domainIds);
    this.check(changes, options);
    const { accountId } = visibility;
    let found = false;
    await this.database.transaction(async (tx) => {
      const { rowCount } = await tx.query(
        `UPDATE webhooks
            SET url = coalesce($3, url), events = coalesce($4, events),
                domain_ids = CASE WHEN $5 THEN $6::text[] ELSE domain_ids END,
                status = CASE WHEN $7 THEN 'enabled' ELSE status END,
                disabled_reason = CASE WHEN $7 THEN NULL ELSE disabled_reason END,
                failing_since = CASE WHEN $7 OR url <> $3 THEN NULL ELSE failing_since END,
                include_bots = coalesce($8, include_bots), updated_at = now()
          WHERE id = $1 AND account_id = $2 AND ${webhookIsVisible(9)}`,
        [
          id,
          accountId,
          url ?? null,
          events === undefined ? null : unique(events),
          domainIds !== undefined,
          unique(domainIds ?? null),
          status === 'enabled',
          includeBots ?? null,
          visibleDomains(visibility),
        ],
      );
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
    const removed = await this.webhooks.manager.transaction(async (manager) => {
      const { affected } = await manager.delete(Webhook, { id, ...visibleWebhooks(visibility) });
      if (!affected) return false;
      await manager.query('DELETE FROM webhook_replays WHERE webhook_id = $1', [id]);
      await manager.query('DELETE FROM webhook_windows WHERE webhook_id = $1', [id]);
      return true;
    });
    this.subscribers.invalidate(visibility.accountId);
    // After the commit: without the endpoint, no delivery of it is claimed any more.
    if (removed) await deletePending(this.database, id, BATCHES_PER_REMOVAL);
    return removed;
  }

  private check(
    fields: Partial<WebhookFields>,
    options: WebhookInputOptions,
    required: readonly (keyof WebhookFields)[] = [],
  ) {
    checkWebhookFields(fields, { ...options, allowPrivate: this.config.settings.ALLOW_PRIVATE_WEBHOOKS }, required);
  }
}

function unique<T extends string[] | null>(values: T): T {
  return (values && [...new Set(values)]) as T;
}

function limitReached(): Refusal {
  const message = `An account can have at most ${LIMITS.webhooksPerAccount} webhooks.`;
  return new Refusal('conflict', [{ field: '', code: 'limit_reached', message }], message);
}
