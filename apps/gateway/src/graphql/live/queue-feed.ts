import { Injectable } from '@nestjs/common';
import type { Visibility } from '#libs/contracts';
import { Log, sleep } from '#libs/kernel';
import { QueueOverview } from '#libs/queue';
import type { QueueDto } from '../../rest/queues/queues.dto.js';
import { LatestStream } from './live-stream.js';
import { whileUnavailable } from './while-unavailable.js';

const REFRESH_MS = 1_000;

/** The queues that one kind of key sees. */
interface Watched {
  visibility: Visibility;
  queues: QueueDto[];
  /** `queues` as JSON, to notice changes. */
  text: string;
  listeners: Set<() => void>;
}

/** The queues of all subscribers of this process: read once a second while there are any. */
@Injectable()
export class QueueFeed {
  private readonly watched = new Map<string, Watched>();
  private isRunning = false;

  constructor(
    private readonly overview: QueueOverview,
    private readonly log: Log,
  ) {}

  async open(visibility: Visibility): Promise<LatestStream<QueueDto[]>> {
    const { accountId, mode, domainIds } = visibility;
    const key = `${accountId} ${mode} ${domainIds === null ? '*' : [...domainIds].sort().join(' ')}`;
    const queues = await whileUnavailable(() => this.overview.list(visibility));
    let watched = this.watched.get(key);
    if (watched === undefined) {
      watched = {
        visibility: { accountId, mode, domainIds },
        queues,
        text: JSON.stringify(queues),
        listeners: new Set(),
      };
      this.watched.set(key, watched);
    }
    const { listeners } = watched;
    const current = watched;
    return new LatestStream(
      () => current.queues,
      (listener) => {
        listeners.add(listener);
        void this.run();
        return () => {
          listeners.delete(listener);
          if (listeners.size === 0 && this.watched.get(key) === current) this.watched.delete(key);
        };
      },
    );
  }

  private async run(): Promise<void> {
    if (this.isRunning) return;
    this.isRunning = true;
    let isFailing = false;
    while (this.watched.size > 0) {
      await sleep(REFRESH_MS);
      try {
        for (const watched of [...this.watched.values()]) await this.refresh(watched);
        isFailing = false;
      } catch (error) {
        if (!isFailing) this.log.warn('live queues cannot be read', { reason: (error as Error).message });
        isFailing = true;
      }
    }
    this.isRunning = false;
  }

  private async refresh(watched: Watched): Promise<void> {
    const queues = await this.overview.list(watched.visibility);
    const text = JSON.stringify(queues);
    if (text === watched.text) return;
    Object.assign(watched, { queues, text });
    for (const listener of watched.listeners) listener();
  }
}
