import { expect } from 'vitest';
import { until } from '../../support/timing/until.js';
import type { Stage } from '../gate/stage.js';

/** Content of the pages of single entries, by id. */
export interface Filled {
  accountId: string;
  emailId: string;
  domainId: string;
  webhookId: string;
}

const HTML = `<!doctype html><html><body style="margin:0;background:#f4f5f9;font-family:Helvetica,Arial,sans-serif">
<table role="presentation" width="100%" cellpadding="24"><tr><td align="center"><table role="presentation" width="520" cellpadding="28" style="background:#fff;border-radius:10px">
<tr><td><h1 style="margin:0 0 12px;font-size:22px">Your order is on its way</h1><p style="color:#495057;line-height:1.5">Hello Mara, we have handed order 10482 to the carrier. It arrives on Thursday.</p>
<p><a href="https://shop.example.com/orders/10482" style="background:#3b5bdb;color:#fff;padding:10px 18px;border-radius:6px;text-decoration:none">Follow the parcel</a></p>
<p style="color:#868e96;font-size:13px">Example Shop, 1 Market Street</p></td></tr></table></td></tr></table></body></html>`;
const SUBJECTS = [
  'Your order is on its way',
  'Confirm your address',
  'Receipt 2041',
  'Your weekly report',
  'Password changed',
];
const NAMES = ['mara', 'jonas', 'amelie', 'li.wei', 'oskar', 'priya', 'tomas', 'noor'];

/** Messages with every kind of outcome, and entries on every page. */
export async function fillAccount(stage: Stage): Promise<Filled> {
  const { service, network } = stage;
  await network.mailServer('example.net', { on: { rcpt: '451 4.7.1 Greylisted, try again in five minutes' } });
  await network.mailServer('yahoo.com', {
    on: { rcpt: '421 4.7.0 [TSS04] Messages from 203.0.113.7 temporarily deferred due to unexpected volume' },
  });
  const post = async <T>(path: string, body: unknown): Promise<T> => {
    const answer = await service.call('POST', path, body);
    if (!answer.ok) throw new Error(`${path}: ${await answer.text()}`);
    return (await answer.json()) as T;
  };
  const webhook = await post<{ id: string }>('/webhooks', { url: `${service.url}/healthz`, events: ['*'] });
  const domain = await post<{ id: string }>('/domains', { name: 'mail.shop.example.org' });
  for (const email of ['left@example.com', 'unknown.person@example.org']) await post('/suppressions', { email });
  const test = await post<{ token: string }>('/api-keys', { name: 'Staging', mode: 'test' });
  const first = await post<{ id: string }>('/emails', {
    ...service.mail({ to: 'mara@example.com', subject: SUBJECTS[0], html: HTML, text: 'Order 10482 is on its way.' }),
    tags: { campaign: 'orders' },
  });
  for (let i = 0; i < 40; i += 1) {
    const to = `${NAMES[i % NAMES.length]}@example.com`;
    const body = service.mail({ to, subject: SUBJECTS[i % SUBJECTS.length], html: HTML });
    await post('/emails', body);
    if (i % 8 === 0) {
      const captured = await fetch(`${service.url}/emails`, {
        method: 'POST',
        headers: { authorization: `Bearer ${test.token}`, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      });
      expect(captured.status).toBe(201);
    }
  }
  for (const outcome of ['bounced', 'softbounced', 'complained', 'suppressed', 'opened', 'clicked'])
    await post('/emails', service.mail({ to: `${outcome}@sim.postloft.test`, subject: SUBJECTS[1], html: HTML }));
  for (const name of NAMES.slice(0, 3))
    await post('/emails', service.mail({ to: `${name}@example.net`, subject: SUBJECTS[2] }));
  for (const name of NAMES) await post('/emails', service.mail({ to: `${name}@yahoo.com`, subject: SUBJECTS[0] }));
  await post('/emails', {
    ...service.mail({ to: 'later@example.com', subject: SUBJECTS[3] }),
    scheduled_at: new Date(Date.now() + 36_000_000).toISOString(),
  });
  await until(
    async () => {
      const answer = (await (await service.call('GET', `/emails/${first.id}`)).json()) as { status: string };
      return answer.status === 'delivered' && stage.mx.accepted.length > 40;
    },
    { what: 'the messages to be delivered', withinMs: 90_000 },
  );
  const account = (await (await service.call('GET', '/account')).json()) as { id: string };
  return { accountId: account.id, emailId: first.id, domainId: domain.id, webhookId: webhook.id };
}
