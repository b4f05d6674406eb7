import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { LIMITS, newId, Refusal } from '#libs/contracts';
import { Config, SecretBox } from '#libs/kernel';
import { In, Repository } from 'typeorm';
import { newWebhookSecret } from './webhook-signature.js';
import { webhookEventsRule, webhookUrlRule } from './webhook-rules.js';
import { Webhook } from './webhook.entity.js';

/** A webhook as customers see it (D-42); the secret is shown once, by `create`. */
export interface WebhookView {
  id: string;
  object: 'webhook';
  url: string;
  events: string[];
  status: 'enabled' | 'disabled';
  created_at: string;
}
export interface EnabledWebhook {
  id: string;
  events: string[];
}

const CACHED_ACCOUNTS = 10_000;
const CACHE_MS = 1_000;

/** The endpoints of the accounts: which there are, and which of them take events at the moment. */
@Injectable()
export class WebhookSubscriptions {
  private readonly cache = new Map<string, { readAt: number; webhooks: EnabledWebhook[] }>();
  private readonly cacheMs: number;

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    private readonly secretBox: SecretBox,
    private readonly config: Config,
  ) {
    // In the standalone program every change passes through this object and is known at once. Elsewhere another process
    // creates the endpoint, and a cache would lose it the events of its first second.
    this.cacheMs = config.program === 'standalone' ? CACHE_MS : 0;
  }

  /** @throws Refusal `missing_required_field` or `validation_error` for the fields, `conflict` (limit_reached) for one too many. */
  async create(
    accountId: string,
    fields: { url: string; events: string[] },
  ): Promise<WebhookView & { secret: string }> {
    this.check(fields);
    const id = newId('wh');
    const secret = newWebhookSecret();
    const row = await this.webhooks.manager.transaction(async (manager) => {
      // Counting and inserting must be one step per account; there is no row of ours to lock before the first webhook.
      await manager.query('SELECT pg_advisory_xact_lock(hashtextextended($1, 0))', [`webhooks ${accountId}`]);
      if ((await manager.countBy(Webhook, { accountId })) >= LIMITS.webhooksPerAccount) throw limitReached();
      const made = manager.create(Webhook, {
        id,
        accountId,
        url: fields.url,
        events: [...new Set(fields.events)],
        status: 'enabled',
        secretSealed: this.secretBox.seal(secret, id),
        createdAt: new Date(),
      });
      await manager.insert(Webhook, made);
      return made;
    });
    this.cache.delete(accountId);
    return { ...presentWebhook(row), secret };
  }

  /** Newest first; at most ten. */
  async list(accountId: string): Promise<WebhookView[]> {
    const rows = await this.webhooks.find({ where: { accountId }, order: { id: 'DESC' } });
    return rows.map(presentWebhook);
  }

  /** Removes the endpoint and what still waits for it; false when the account has no such endpoint. */
  async remove(accountId: string, id: string): Promise<boolean> {
    const removed = await this.webhooks.manager.transaction(async (manager) => {
      const { affected } = await manager.delete(Webhook, { id, accountId });
      if (!affected) return false;
      await manager.query(`DELETE FROM webhook_deliveries WHERE webhook_id = $1 AND status = 'pending'`, [id]);
      return true;
    });
    this.cache.delete(accountId);
    return removed;
  }

  /**
   * The enabled endpoints of these accounts; an account without any has no entry. One query for all that are not cached.
   * An endpoint that has just been disabled or removed may still be among them: the fan-out's insert looks again.
   */
  async enabledFor(accountIds: readonly string[]): Promise<Map<string, EnabledWebhook[]>> {
    const now = performance.now();
    const unknown = accountIds.filter((id) => now - (this.cache.get(id)?.readAt ?? -Infinity) >= this.cacheMs);
    if (unknown.length > 0) await this.read([...new Set(unknown)], now);
    const found = new Map<string, EnabledWebhook[]>();
    for (const id of accountIds) {
      const webhooks = this.cache.get(id)?.webhooks ?? [];
      if (webhooks.length > 0) found.set(id, webhooks);
    }
    return found;
  }

  private async read(accountIds: string[], now: number): Promise<void> {
    if (this.cache.size + accountIds.length > CACHED_ACCOUNTS) this.cache.clear();
    const rows = await this.webhooks.find({ where: { accountId: In(accountIds), status: 'enabled' } });
    for (const id of accountIds) this.cache.set(id, { readAt: now, webhooks: [] });
    for (const row of rows) this.cache.get(row.accountId)?.webhooks.push({ id: row.id, events: row.events });
  }

  /** The doors judge the fields with the same rules; this is for callers that are not a door. */
  private check(fields: { url: unknown; events: unknown }): void {
    const missing = (['url', 'events'] as const).filter((field) => fields[field] === undefined);
    if (missing.length > 0) {
      const details = missing.map((field) => ({ field, code: 'required', message: `${field} is required` }));
      throw new Refusal('missing_required_field', details);
    }
    const allowPrivate = this.config.settings.ALLOW_PRIVATE_WEBHOOKS;
    const details = [
      ...webhookUrlRule(fields.url, { allowPrivate }).map((problem) => ({ ...problem, field: 'url' })),
      ...webhookEventsRule(fields.events).map((problem) => ({ ...problem, field: 'events' })),
    ].map(({ field, path, code, message }) => ({ field: field + path, code, message: `${field}${path} ${message}` }));
    if (details.length > 0) throw new Refusal('validation_error', details);
  }
}

function limitReached(): Refusal {
  const message = `An account can have at most ${LIMITS.webhooksPerAccount} webhooks.`;
  return new Refusal('conflict', [{ field: '', code: 'limit_reached', message }], message);
}

function presentWebhook(row: Webhook): WebhookView {
  return {
    id: row.id,
    object: 'webhook',
    url: row.url,
    events: row.events,
    status: row.status,
    created_at: row.createdAt.toISOString(),
  };
}
