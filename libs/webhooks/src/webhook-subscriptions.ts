import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LIMITS, newId, Refusal, toPage, type Page, type PageRequest } from '#libs/contracts';
import { Config } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { LessThan, MoreThan, Repository } from 'typeorm';
import { WebhookAudience } from './webhook-audience.js';
import { disableWebhook } from './webhook-disable.js';
import { checkWebhookFields, type WebhookDoor, type WebhookFields } from './webhook-fields.js';
import { WebhookSecrets } from './webhook-secrets.js';
import { presentWebhook, type WebhookView } from './webhook-view.js';
import { Webhook } from './webhook.entity.js';

const NATIVE: WebhookDoor = { flavour: 'native' };

/** The endpoints of the accounts, as their owners manage them. */
@Injectable()
export class WebhookSubscriptions {
  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly database: Database,
    private readonly secrets: WebhookSecrets,
    private readonly audience: WebhookAudience,
    private readonly config: Config,
  ) {}

  /**
   * The answer has the secret.
   * @throws Refusal `missing_required_field` or `validation_error` with all problems; `conflict` (limit_reached)
   */
  async create(
    accountId: string,
    fields: Pick<WebhookFields, 'url' | 'events'> & Partial<Pick<WebhookFields, 'domainIds'>>,
    door: WebhookDoor = NATIVE,
  ): Promise<WebhookView & { secret: string }> {
    const { url, events, domainIds } = fields;
    this.check({ url, events, domainIds }, door, ['url', 'events']);
    const id = newId('wh');
    const { secret, sealed } = this.secrets.make(id);
    const row = await this.webhooks.manager.transaction(async (manager) => {
      // Counting and inserting must be one step per account; there is no row of ours to lock before the first webhook.
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhooks ${accountId}`]);
      if ((await manager.countBy(Webhook, { accountId })) >= LIMITS.webhooksPerAccount) throw limitReached();
      const now = new Date();
      const made = manager.create(Webhook, {
        id,
        accountId,
        url,
        events: unique(events),
        domainIds: unique(domainIds ?? null),
        flavour: door.flavour,
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
    this.audience.forget(accountId);
    return { ...presentWebhook(row), secret };
  }

  /** Newest first; at most ten. */
  async list(accountId: string): Promise<WebhookView[]> {
    return (await this.webhooks.find({ where: { accountId }, order: { id: 'DESC' } })).map(presentWebhook);
  }

  /** The same in pages, newest first, for doors whose lists are all of one shape. */
  async page(accountId: string, request: PageRequest): Promise<Page<WebhookView>> {
    const { limit, after, before } = request;
    const beyond = after === undefined ? before && MoreThan(before) : LessThan(after);
    const rows = await this.webhooks.find({
      where: { accountId, ...(beyond ? { id: beyond } : {}) },
      order: { id: before === undefined ? 'DESC' : 'ASC' },
      take: limit + 1,
    });
    return toPage(request, rows, { id: (row) => row.id, present: presentWebhook });
  }

  /** Null when the account has no such endpoint. */
  async find(accountId: string, id: string): Promise<WebhookView | null> {
    const row = await this.webhooks.findOneBy({ id, accountId });
    return row && presentWebhook(row);
  }

  /**
   * Changes what is given. Enabling forgets all failures; another URL forgets that the old one failed. Disabling fails
   * what waits and is told to the account's other endpoints. Null when the account has no such endpoint.
   * @throws Refusal `validation_error` with all problems
   */
  async update(
    accountId: string,
    id: string,
    { door = NATIVE, ...changes }: Partial<WebhookFields> & { door?: WebhookDoor },
  ): Promise<WebhookView | null> {
    this.check(changes, door);
    const { url, events, domainIds, status } = changes;
    await this.database.transaction(async (tx) => {
      const { rowCount } = await tx.query(
        `UPDATE webhooks
            SET url = coalesce($3, url), events = coalesce($4, events),
                domain_ids = CASE WHEN $5 THEN $6::text[] ELSE domain_ids END,
                status = CASE WHEN $7 THEN 'enabled' ELSE status END,
                disabled_reason = CASE WHEN $7 THEN NULL ELSE disabled_reason END,
                failing_since = CASE WHEN $7 OR url <> $3 THEN NULL ELSE failing_since END,
                updated_at = now()
          WHERE id = $1 AND account_id = $2`,
        [
          id,
          accountId,
          url ?? null,
          events === undefined ? null : unique(events),
          domainIds !== undefined,
          unique(domainIds ?? null),
          status === 'enabled',
        ],
      );
      if (rowCount > 0 && status === 'disabled') await disableWebhook(tx, { id, reason: 'manual' });
    });
    this.audience.forget(accountId);
    return this.find(accountId, id);
  }

  /** Removes the endpoint and what still waits for it; false when the account has no such endpoint. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const removed = await this.webhooks.manager.transaction(async (manager) => {
      const { affected } = await manager.delete(Webhook, { id, accountId });
      if (!affected) return false;
      await manager.query(`DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`, [id]);
      return true;
    });
    this.audience.forget(accountId);
    return removed;
  }

  private check(fields: Partial<WebhookFields>, door: WebhookDoor, required: readonly (keyof WebhookFields)[] = []) {
    checkWebhookFields(fields, { ...door, allowPrivate: this.config.settings.ALLOW_PRIVATE_WEBHOOKS }, required);
  }
}

function unique<T extends string[] | null>(values: T): T {
  return (values && [...new Set(values)]) as T;
}

function limitReached(): Refusal {
  const message = `An account can have at most ${LIMITS.webhooksPerAccount} webhooks.`;
  return new Refusal('conflict', [{ field: '', code: 'limit_reached', message }], message);
}
