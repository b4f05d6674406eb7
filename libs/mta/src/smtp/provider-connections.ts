import type { SmtpConnection } from './connection.js';
import type { MxEndpoint } from '../routing/mx-endpoint.js';

/**
 * Open connections by provider and source address. A provider counts connections over all of its hosts, so idle ones at
 * one host are closed before the limit is exceeded at another.
 */
export class ProviderConnections {
  private readonly groups = new Map<string, Set<SmtpConnection>>();

  add(connection: SmtpConnection): void {
    const key = keyOf(connection.endpoint);
    if (key === null) return;
    const group = this.groups.get(key);
    if (group === undefined) this.groups.set(key, new Set([connection]));
    else group.add(connection);
  }

  remove(connection: SmtpConnection): void {
    const key = keyOf(connection.endpoint);
    const group = key === null ? undefined : this.groups.get(key);
    if (key === null || group === undefined) return;
    group.delete(connection);
    if (group.size === 0) this.groups.delete(key);
  }

  /** Connections to close before one more is opened, the oldest first; fewer if not enough are idle. */
  toClose(endpoint: MxEndpoint, isIdle: (connection: SmtpConnection) => boolean): SmtpConnection[] {
    const key = keyOf(endpoint);
    const group = key === null ? undefined : this.groups.get(key);
    const limit = endpoint.connections;
    if (group === undefined || limit === null || group.size < limit) return [];
    return [...group].filter(isIdle).slice(0, group.size - limit + 1);
  }
}

/** Null: there is no limit. */
function keyOf({ provider, connections, source }: MxEndpoint): string | null {
  return provider === null || connections === null ? null : `${provider} ${source?.address ?? ''}`;
}
