import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Config } from '#libs/kernel';
import { In, Repository } from 'typeorm';
import type { WebhookFlavour } from './webhook-flavour.js';
import { Webhook } from './webhook.entity.js';

/** An endpoint that takes events at the moment. */
export interface EnabledWebhook {
  id: string;
  events: string[];
  domainIds: string[] | null;
  flavour: WebhookFlavour;
}

const CACHED_ACCOUNTS = 10_000;
const CACHE_MS = 1_000;

/** Who listens: the enabled endpoints of accounts, remembered for a moment where all changes pass through this process. */
@Injectable()
export class WebhookAudience {
  private readonly cache = new Map<string, { readAt: number; webhooks: EnabledWebhook[] }>();
  private readonly cacheMs: number;
  private changes = 0;

  constructor(
    @InjectRepository(Webhook) private readonly webhooks: Repository<Webhook>,
    config: Config,
  ) {
    // In the standalone program every change passes through `forget` and is known at once. Elsewhere another process
    // creates the endpoint, and a cache would lose it the events of its first second.
    this.cacheMs = config.program === 'standalone' ? CACHE_MS : 0;
  }

  /** Something changed at this account's endpoints. */
  forget(accountId: string): void {
    this.changes += 1;
    this.cache.delete(accountId);
  }

  /**
   * The enabled endpoints of each of these accounts. One query for all that are not remembered. An endpoint that has
   * just been disabled or removed may still be among them: the fan-out's insert looks again.
   */
  async of(accountIds: Iterable<string>): Promise<Map<string, EnabledWebhook[]>> {
    const now = performance.now();
    const found = new Map<string, EnabledWebhook[]>();
    const unknown = new Set<string>();
    for (const id of accountIds) {
      const known = this.cache.get(id);
      if (known && now - known.readAt < this.cacheMs) found.set(id, known.webhooks);
      else unknown.add(id);
    }
    if (unknown.size === 0) return found;
    const changes = this.changes;
    const read = await this.read([...unknown]);
    // What was read while something changed is right for events that had already happened, but not to be remembered.
    if (this.cacheMs > 0 && changes === this.changes) this.remember(read, now);
    return new Map([...found, ...read]);
  }

  private async read(accountIds: string[]): Promise<Map<string, EnabledWebhook[]>> {
    const read = new Map<string, EnabledWebhook[]>(accountIds.map((id) => [id, []]));
    const rows = await this.webhooks.find({ where: { accountId: In(accountIds), status: 'enabled' } });
    for (const { accountId, id, events, domainIds, flavour } of rows)
      read.get(accountId)?.push({ id, events, domainIds, flavour });
    return read;
  }

  private remember(read: ReadonlyMap<string, EnabledWebhook[]>, readAt: number): void {
    if (this.cache.size + read.size > CACHED_ACCOUNTS) this.cache.clear();
    for (const [id, webhooks] of read) this.cache.set(id, { readAt, webhooks });
  }
}
