import type { SmtpConnection } from './smtp-connection.js';
import type { Target } from './target.js';

/**
 * Open connections by provider and source address. A provider counts them over all of its hosts, so one that rests at
 * one host must leave before the limit is passed at another.
 */
export class ProviderConnections {
  readonly #groups = new Map<string, Set<SmtpConnection>>();

  add(connection: SmtpConnection): void {
    const key = keyOf(connection.target);
    if (key === null) return;
    const group = this.#groups.get(key);
    if (group === undefined) this.#groups.set(key, new Set([connection]));
    else group.add(connection);
  }

  remove(connection: SmtpConnection): void {
    const key = keyOf(connection.target);
    const group = key === null ? undefined : this.#groups.get(key);
    if (key === null || group === undefined) return;
    group.delete(connection);
    if (group.size === 0) this.#groups.delete(key);
  }

  /** Those that must leave before one more is opened, the oldest first; fewer where too few are resting. */
  inTheWay(target: Target, isResting: (connection: SmtpConnection) => boolean): SmtpConnection[] {
    const key = keyOf(target);
    const group = key === null ? undefined : this.#groups.get(key);
    const most = target.connections;
    if (group === undefined || most === null || group.size < most) return [];
    return [...group].filter(isResting).slice(0, group.size - most + 1);
  }
}

/** Null: nobody counts. */
function keyOf({ provider, connections, source }: Target): string | null {
  return provider === null || connections === null ? null : `${provider} ${source?.address ?? ''}`;
}
