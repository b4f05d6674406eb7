import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Config, TtlMap } from '#libs/kernel';
import { In, Repository } from 'typeorm';
import { WebhookEntity } from '../endpoints/webhook.entity.js';
import type { StoredWebhook } from '../webhook.resource.js';

/** An endpoint that currently receives events. */
export type EnabledWebhook = Pick<StoredWebhook, 'id' | 'events' | 'domain_ids' | 'include_bots' | 'payload_format'>;

const CACHED_ACCOUNTS = 10_000;
const CACHE_MS = 1_000;

/** The enabled endpoints of accounts, cached for a moment where all changes pass through this process. */
@Injectable()
export class SubscriberLookup {
  private readonly cache = new TtlMap<string, EnabledWebhook[]>(CACHED_ACCOUNTS);
  private readonly isCaching: boolean;
  private changes = 0;

  constructor(
    @InjectRepository(WebhookEntity) private readonly webhooks: Repository<StoredWebhook>,
    config: Config,
  ) {
    // In the standalone program every change passes through `invalidate`. In the distributed topology another process
    // creates the endpoint, and with a cache it would miss the events of its first second.
    this.isCaching = config.program === 'standalone';
  }

  /** Call after every change of this account's endpoints. */
  invalidate(accountId: string): void {
    this.changes += 1;
    this.cache.delete(accountId);
  }

  /**
   * The enabled endpoints by account, with one query for all accounts that are not cached. The result may contain an
   * endpoint that was just disabled or removed: the insert of the fan-out checks again.
   */
  async find(accountIds: Iterable<string>): Promise<Map<string, EnabledWebhook[]>> {
    const found = new Map<string, EnabledWebhook[]>();
    const missing: string[] = [];
    for (const id of accountIds) {
      const cached = this.cache.get(id);
      if (cached === undefined) missing.push(id);
      else found.set(id, cached);
    }
    if (missing.length === 0) return found;
    const changes = this.changes;
    const startedAt = performance.now();
    const read = await this.read(missing);
    // A result that was read during a change is right for events before that change, but must not be cached.
    if (this.isCaching && changes === this.changes) {
      const ttlMs = CACHE_MS - (performance.now() - startedAt);
      for (const [id, webhooks] of read) this.cache.set(id, webhooks, ttlMs);
    }
    return new Map([...found, ...read]);
  }

  private async read(accountIds: string[]): Promise<Map<string, EnabledWebhook[]>> {
    const read = new Map<string, EnabledWebhook[]>(accountIds.map((id) => [id, []]));
    const rows = await this.webhooks.find({ where: { account_id: In(accountIds), status: 'enabled' } });
    for (const { account_id, id, events, domain_ids, include_bots, payload_format } of rows)
      read.get(account_id)?.push({ id, events, domain_ids, include_bots, payload_format });
    return read;
  }
}
