import { expect } from 'vitest';
import { bareUuid, type Mode } from '#libs/contracts';
import { accountOn } from '../services/service-client.js';
import type { ServiceData } from '../services/service-host.js';
import { until } from '../timing/until.js';

type KindOfEmail = 'email' | 'scheduled' | 'bounced' | 'attachment' | 'attempt' | 'captured' | 'event';
type KindOfWebhook = 'webhook' | 'webhookEvent' | 'webhookDelivery' | 'webhookAttempt' | 'webhookReplay';
type KindOfList = 'suppression' | 'suppressionId' | 'suppressedToo' | 'suppressedTooId';
/** A thing that some operation names by its id (a suppression: by its address). */
export type Kind =
  | KindOfEmail
  | KindOfWebhook
  | KindOfList
  | 'account'
  | 'domain'
  | 'apiKey'
  | 'erasure'
  | 'log'
  | 'audit';

/** An account of its own, and one thing of every kind in it. */
export interface Tenant {
  name: string;
  accountId: string;
  key: string;
  domain: string;
  things: Record<Kind, string>;
  /** Words that nobody else may ever be shown: ids, addresses, subjects, secrets. */
  marks: string[];
  /** A text goes as CSV, everything else as JSON. */
  call(method: string, path: string, body?: unknown): Promise<Response>;
}

/**
 * Makes an account and furnishes it: mail that went out, waits and bounced, with what follows from it.
 * @param hook the URL of its webhook
 */
export async function moveIn(service: ServiceData, name: string, hook: string): Promise<Tenant> {
  const { id: accountId, key, domain, domainId, ...account } = await accountOn(service);
  const call = (method: string, path: string, body?: unknown) =>
    account.call(method, path, body, typeof body === 'string' ? { 'content-type': 'text/csv' } : {});
  const things = { account: accountId, domain: domainId, ...(await madeThings(call, { name, domain, hook })) };
  return {
    name,
    accountId,
    key,
    domain,
    things,
    call,
    marks: [...Object.values(things).flatMap((id) => [id, bareUuid(id)]), accountId, key, domain, `private-${name}`],
  };
}

/** Where the things of a tenant are, and how they are marked. */
interface Household {
  name: string;
  domain: string;
  hook: string;
  /** Its key, webhook and suppressions are limited to this domain; its mail has this mode, and its log is of its key. */
  limits?: { domainId: string; mode: Mode; as: (key: string) => Call };
}
type Call = Tenant['call'];

/** One thing of every kind, except the account and the domain. */
export async function madeThings(
  call: Call,
  { name, domain, hook, limits }: Household,
): Promise<Omit<Tenant['things'], 'account' | 'domain'>> {
  const create = async <T extends { id: string }>(path: string, body: object, by = call): Promise<T> => {
    const answer = await by('POST', path, body);
    const text = await answer.text();
    expect([path, answer.status, text]).toEqual([path, path.endsWith('/replay') ? 202 : 201, text]);
    return JSON.parse(text) as T;
  };
  const made = async (path: string, body: object) => (await create(path, body)).id;
  const domainIds = limits && [limits.domainId];
  const key = await create<{ id: string; token: string }>('/api-keys', {
    name: `private-${name}`,
    domain_ids: domainIds,
    mode: limits?.mode,
  });
  const sender = limits?.as(key.token) ?? call;
  const mail = async (over: object) => {
    const body = {
      from: `private-${name}@${domain}`,
      to: `private-${name}@reader.example.net`,
      subject: `private-${name}`,
      text: `private-${name}`,
      ...over,
    };
    return (await create('/emails', body, sender)).id;
  };
  const webhook = await made('/webhooks', { url: hook, events: ['*'], domain_ids: domainIds });
  const apiKey = key.id;
  const suppression = `private-${name}@suppressed.example.net`;
  const suppressedToo = `private-${name}@also.example.net`;
  const suppressionId = await made('/suppressions', { email: suppression, domain_id: limits?.domainId });
  const suppressedTooId = await made('/suppressions', { email: suppressedToo, domain_id: limits?.domainId });
  const removed = await made('/suppressions', {
    email: `private-${name}@removed.example.net`,
    domain_id: limits?.domainId,
  });
  expect((await call('DELETE', `/suppressions/${removed}`)).status).toBe(200);
  const email = await mail({
    tags: { owner: `private-${name}` },
    attachments: [{ filename: `private-${name}.txt`, content: Buffer.from('hello').toString('base64') }],
  });
  const scheduled = await mail({ scheduled_at: new Date(Date.now() + 3_600_000).toISOString() });
  const bounced = await mail({ to: 'bounced@sim.postloft.test' });

  const first = (path: string, fits: (entry: Entry) => boolean = () => true) => {
    const read = async () => ((await (await call('GET', path)).json()) as { data?: Entry[] }).data?.find(fits);
    return until(read, { what: path });
  };
  await until(async () => (await statusOf(call, email)) === 'delivered', { what: 'the mail to be delivered' });
  await until(async () => (await statusOf(call, bounced)) === 'bounced', { what: 'the mail to bounce' });
  const told = await first(
    `/webhooks/${webhook}/events`,
    ({ status, type }) => status === 'delivered' && type === 'email.delivered',
  );
  await made(`/webhooks/${webhook}/replay`, { from: '2020-01-01T00:00:00Z', to: '2020-01-02T00:00:00Z' });
  return {
    webhook,
    apiKey,
    suppression,
    suppressionId,
    suppressedToo,
    suppressedTooId,
    email,
    scheduled,
    bounced,
    attachment: (await first(`/emails/${email}/attachments`)).id,
    attempt: (await first(`/emails/${email}/attempts`)).id,
    erasure: await requestErasure(call, `private-${name}@erased.example.net`),
    captured: (await first(`/captured?email_id=${email}`)).id,
    event: (await first(`/emails/${email}/events`)).id,
    log: (await first(limits ? `/logs?api_key_id=${apiKey}` : '/logs')).id,
    audit: (await first('/audit-log', ({ target }) => target === removed)).id,
    webhookEvent: told.id,
    webhookDelivery: told.delivery_id,
    webhookReplay: (await first(`/webhooks/${webhook}/replays`, ({ status }) => status === 'completed')).id,
    webhookAttempt: (await first(`/webhooks/${webhook}/events/${told.id}/attempts`)).id,
  };
}

async function requestErasure(call: Call, email: string): Promise<string> {
  const answer = await call('POST', '/erasures', { email });
  expect(answer.status).toBe(202);
  return ((await answer.json()) as { id: string }).id;
}

interface Entry {
  id: string;
  type?: string;
  status?: string;
  target?: string;
  delivery_id: string;
}

async function statusOf(call: Call, id: string): Promise<string> {
  return ((await (await call('GET', `/emails/${id}`)).json()) as { status: string }).status;
}

/** An id of the same kind and moment that nobody has, or another address. */
export function nobodys(id: string): string {
  if (id.includes('@')) return id.replace(/^private-[a-z]+/, 'private-nobody');
  return id.replace(/.{8}$/, (end) => [...end].map((digit) => (15 - Number.parseInt(digit, 16)).toString(16)).join(''));
}
