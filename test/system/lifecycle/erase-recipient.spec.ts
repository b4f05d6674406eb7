import { join } from 'node:path';
import { Client } from 'pg';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { Log } from '#libs/kernel';
import { EmbeddedPostgres } from '../../../libs/persistence/src/embedded-postgres/embedded-postgres.js';
import { openEmbedded } from '../../../libs/stats/src/embedded-connection.js';
import { cli } from '../../support/services/cli.js';
import { statsTablesWithText, tablesWithText } from '../../support/persistence/find-text.js';
import { startStandalone, type RunningProgram } from '../../support/services/program.js';
import { firstSender, type Sender } from '../../support/services/sender.js';
import { until } from '../../support/timing/until.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';

const WRITTEN = 'JOSÉ.Erase@Example.net';
const ADDRESS = WRITTEN.toLowerCase();
/** The same address with its accent as a character of its own. */
const DECOMPOSED = WRITTEN.normalize('NFD');
/** Remains. */
const KEPT = 'kept.reader@example.net';

let program: RunningProgram;
let sender: Sender;
let hooks: WebhookReceiver;
beforeAll(async () => {
  hooks = await WebhookReceiver.start();
  program = await startStandalone();
  sender = firstSender(program);
});
afterAll(async () => {
  await program?.stop();
  await hooks?.close();
  program?.clean();
});

type Body = Record<string, unknown> & { id: string };
const ask = async (method: string, path: string, body?: unknown) => {
  const answer = await sender.call(method, path, body);
  return { status: answer.status, body: (await answer.json()) as Body };
};
const send = async (over: Record<string, unknown>) => {
  const answer = await ask('POST', '/emails', sender.mail(over));
  expect([answer.status, answer.body]).toEqual([201, answer.body]);
  return answer.body.id;
};
const emailOf = async (id: string) => (await ask('GET', `/emails/${id}`)).body;

/** Everything that the service knows about the address, in one account. */
async function furnish() {
  expect((await ask('POST', '/webhooks', { url: hooks.url('/hook'), events: ['*'] })).status).toBe(201);
  const alone = await send({ to: `Ada <${WRITTEN}>`, subject: `For ${DECOMPOSED}`, tags: { user: ADDRESS } });
  const together = await send({ to: [DECOMPOSED, 'bob@example.net'], cc: `Other <carol@example.net>` });
  const another = await send({ to: KEPT });
  const later = new Date(Date.now() + 3_600_000).toISOString();
  const scheduled = await send({ to: WRITTEN, scheduled_at: later });
  const test = await send({ to: WRITTEN, sandbox: true, sandbox_result: 'opened' });
  for (const id of [alone, together, another, test])
    await until(async () => (await emailOf(id))['status'] === 'delivered', { what: `delivery of ${id}` });
  // An entry that was removed is left in events and in the audit log.
  expect((await ask('POST', '/suppressions', { email: WRITTEN, reason: `Asked by ${WRITTEN}` })).status).toBe(201);
  expect((await ask('DELETE', `/suppressions/${ADDRESS}`)).status).toBe(200);
  expect((await ask('POST', '/suppressions', { email: WRITTEN, reason: `Again: ${WRITTEN}` })).status).toBe(201);
  await until(() =>
    Promise.resolve(hooks.calls.filter(({ body }) => body.toLowerCase().includes(ADDRESS)).length >= 8),
  );
  const { id: domain } = ((await (await sender.call('GET', '/domains')).json()) as Body[])[0];
  await until(async () => (await ask('GET', `/domains/${domain}/stats`)).body['delivered'] === 5, {
    what: 'statistics',
  });
  return { alone, together, another, scheduled };
}

it('erases a recipient from every table of every store, and goes on blocking the address', async () => {
  const mails = await furnish();
  const requested = await ask('POST', '/erasures', { email: ` ${DECOMPOSED} ` });
  expect(requested).toMatchObject({
    status: 202,
    body: { object: 'erasure', receipt: { finished_at: null, elsewhere: expect.any(Array) as unknown } },
  });
  const { id } = requested.body;
  expect((await ask('POST', '/erasures', { email: ADDRESS })).body.id).toBe(id);
  const done = await until(async () => {
    const { body } = await ask('GET', `/erasures/${id}`);
    return body['status'] === 'completed' ? body : null;
  });
  const { erased_as: erasedAs, erased } = done['receipt'] as { erased_as: string; erased: Record<string, number> };
  expect(erasedAs).toMatch(/^erased-[0-9a-f]{32}@erased\.invalid$/);
  expect(erased).toMatchObject({
    messages: 4,
    recipients: 4,
    bodies: 4,
    captured_messages: 3,
    attempts: 3,
    suppressions: 1,
    audit_entries: 1,
    statistics_rows: 7,
  });
  for (const store of ['events', 'webhook_deliveries']) expect(erased[store]).toBeGreaterThan(8);

  // Rows and ids remain.
  expect(await emailOf(mails.alone)).toMatchObject({
    to: [erasedAs],
    subject: `For ${erasedAs}`,
    tags: { user: erasedAs },
  });
  expect(await emailOf(mails.together)).toMatchObject({ to: [erasedAs, 'bob@example.net'], status: 'delivered' });
  expect(await emailOf(mails.another)).toMatchObject({ to: [KEPT], text: expect.any(String) as string });
  expect(await emailOf(mails.scheduled)).toMatchObject({ to: [erasedAs], status: 'canceled' });

  // The entry blocks the address, and is found by it.
  expect((await ask('POST', '/emails', sender.mail({ to: WRITTEN }))).status).toBe(422);
  expect((await ask('GET', `/suppressions/${ADDRESS}`)).body).toMatchObject({ email: erasedAs });

  const again = JSON.parse(await cli(program.env, 'erase', await accountId(), WRITTEN, '--json')) as Body;
  expect(again.id).not.toBe(id);
  expect(await cli(program.env, 'erasures', 'show', id)).toContain('is completed');

  expect(await program.stop()).toBe(0);
  const [erasedText, decomposedText, keptText] = await findings(ADDRESS, DECOMPOSED.toLowerCase(), KEPT);
  for (const text of [erasedText, decomposedText]) expect(text).toEqual({ postgres: [], clickhouse: [] });
  // The search finds what is there.
  expect(keptText.postgres.length).toBeGreaterThan(4);
  expect(keptText.clickhouse.length).toBeGreaterThan(0);
}, 120_000);

const accountId = async () => (await ask('GET', '/account')).body.id;

interface Findings {
  postgres: string[];
  clickhouse: string[];
}

/** The tables of the stopped service that contain each text. */
async function findings(...texts: string[]): Promise<Findings[]> {
  const postgres = await EmbeddedPostgres.start({ dataDir: program.dataDir, log: () => undefined });
  const client = new Client(postgres.url);
  await client.connect();
  const stats = await openEmbedded(join(program.dataDir, 'chdb'), Log.quiet());
  try {
    const found: Findings[] = [];
    for (const text of texts)
      found.push({
        postgres: await tablesWithText(client, text),
        clickhouse: await statsTablesWithText(stats.client, text),
      });
    return found;
  } finally {
    await stats.close();
    await client.end();
    await postgres.stop();
  }
}
