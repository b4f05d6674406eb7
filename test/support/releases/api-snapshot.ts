import type { RunningService } from '../services/program.js';
import { eachOf } from '../delivery/reconciler.js';

interface Shown {
  id: string;
  status?: string;
}

/** What the API answers about the data of an account, by path. */
export type ApiSnapshot = Record<string, unknown>;

/** Delivery of these has not ended: their answers change once a service with a way to the servers runs. */
export const UNFINISHED = new Set(['queued', 'scheduled', 'sending', 'deferred']);

/** Asks for everything that an account sees of itself, but what changes by asking. @param period of the statistics */
export async function snapshotOf(service: RunningService, period: { from: string; to: string }): Promise<ApiSnapshot> {
  const snapshot: ApiSnapshot = {};
  const ask = async <T>(path: string): Promise<T> => {
    const answer = await service.json<T>('GET', path);
    snapshot[path] = answer;
    return answer;
  };
  const list = async (path: string): Promise<Shown[]> => {
    const items: Shown[] = [];
    for await (const item of eachOf<Shown>(service, `${path}?`)) items.push(item);
    snapshot[path] = items;
    return items;
  };
  await ask('/account');
  const emails = await list('/emails');
  for (const { id } of emails) {
    await ask(`/emails/${id}`);
    await list(`/emails/${id}/events`);
    await list(`/emails/${id}/attempts`);
  }
  for (const { id } of await ask<Shown[]>('/domains')) await ask(`/domains/${id}`);
  for (const { id } of await ask<Shown[]>('/webhooks')) await list(`/webhooks/${id}/events`);
  for (const path of ['/api-keys', '/suppressions', '/captured', '/audit-log']) await list(path);
  const range = `from=${encodeURIComponent(period.from)}&to=${encodeURIComponent(period.to)}`;
  const metrics = 'metrics=sent,delivered,bounced,complained,opened,clicked,delivery_delayed,suppressed';
  for (const by of ['granularity=hour', 'dimensions=domain', 'group_by=provider', 'group_by=tags.kind'])
    await ask(`/stats?${range}&${metrics}&${by}`);
  return snapshot;
}
