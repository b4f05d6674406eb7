import { Module, type DynamicModule } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { BusModule, OutboxRelay, type ParkedEvent } from '#libs/bus';
import { newId, wholeAccount } from '#libs/contracts';
import { KernelModule, loadConfig, Log, Shutdown } from '#libs/kernel';
import { outbox, Database } from '#libs/persistence';
import { PersistenceModule } from '../../../libs/persistence/src/persistence.module.js';
import { WebhookSubscriptions } from '#libs/webhooks';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhooksAppModule } from '../../../apps/webhooks/src/webhooks-app.module.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';
import { openCommandLine } from '../../support/services/command-line.js';
import { WebhookReceiver } from '../../support/webhooks/webhook-receiver.js';
import { queuedEvents } from '../../support/webhooks/webhooks-harness.js';

const MASTER_KEY = Buffer.alloc(32, 3).toString('base64');
const WITHIN = { timeout: 10_000 };

@Module({})
class OneProgram {}

let db: OpenTestDatabase;
let receiver: WebhookReceiver;

/** The webhooks program without its `main`, which would end this process with it. */
async function startWebhooks() {
  const log = Log.quiet();
  const shutdown = new Shutdown(log);
  const config = loadConfig('webhooks', {
    DATABASE_URL: db.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY,
    ALLOW_PRIVATE_WEBHOOKS: 'true',
  });
  const root: DynamicModule = {
    module: OneProgram,
    imports: [
      KernelModule.forRoot({ config, log, shutdown }),
      PersistenceModule.forRoot(log),
      BusModule.forRoot(),
      WebhooksAppModule,
    ],
  };
  const app = await NestFactory.createApplicationContext(root, { logger: ['error'], abortOnError: false });
  return { app, stop: () => shutdown.run() };
}

beforeAll(async () => {
  db = await createTestDatabase();
  receiver = await WebhookReceiver.start();
});
afterAll(async () => {
  await receiver.close();
  await db.close();
});

it('carries an event from the outbox to the endpoint, and what happens meanwhile after the next start', async () => {
  const accountId = newId('acc');
  const first = await startWebhooks();
  const { secret } = await first.app
    .get(WebhookSubscriptions)
    .create(wholeAccount(accountId), { url: receiver.url('/app'), events: ['email.queued'] });
  await first.app.get(OutboxRelay).start();

  const [event] = queuedEvents(accountId);
  await outbox.append(first.app.get(Database), [event]);
  const [call] = await receiver.waitFor('/app', 1);
  expect(call.headers['webhook-id']).toBe(event.event.id);
  expect(new Verifier(secret).verify(call.body, call.headers as Record<string, string>)).toEqual({
    type: 'email.queued',
    created_at: event.event.created_at,
    data: event.event.data,
  });
  await first.stop();

  const [meanwhile] = queuedEvents(accountId);
  await outbox.append(db.database, [meanwhile]);
  const second = await startWebhooks();
  await second.app.get(OutboxRelay).start();
  const calls = await receiver.waitFor('/app', 2);
  await second.stop();
  expect(calls.map(({ headers }) => headers['webhook-id'])).toEqual([event.event.id, meanwhile.event.id]);
});

it('parks an event that it cannot turn into a delivery, and goes on with the others', async () => {
  const accountId = newId('acc');
  const program = await startWebhooks();
  const webhook = await program.app
    .get(WebhookSubscriptions)
    .create(wholeAccount(accountId), { url: receiver.url('/others'), events: ['*'] }, { payloadFormat: 'resend' });
  await program.app.get(OutboxRelay).start();

  const [template, after] = queuedEvents(accountId, 2);
  const data = { id: newId('dom'), status: 'active', records: 'of a later version' };
  const strange = { ...template, event: { ...template.event, type: 'domain.updated', data } } as never;
  await outbox.append(program.app.get(Database), [strange]);
  await outbox.append(program.app.get(Database), [after]);
  const [call] = await receiver.waitFor('/others', 1);
  expect(call.headers['webhook-id']).toBe(after.event.id);
  const administration = await openCommandLine({ DATABASE_URL: db.url, MASTER_KEY });
  const parked = async () => (await administration.run(['parked', 'list'])) as ParkedEvent[];
  await expect.poll(parked, WITHIN).toMatchObject([{ consumer: 'webhooks', event_id: template.event.id, failures: 1 }]);
  const [{ id }] = await parked();
  expect(await administration.run(['parked', 'show', id])).toMatchObject({
    id,
    content: { event: { event: { data } } },
  });
  await administration.run(['parked', 'replay', id]);
  await expect.poll(parked, WITHIN).toMatchObject([{ id, failures: 2 }]);

  await program.app.get(WebhookSubscriptions).remove(wholeAccount(accountId), webhook.id);
  expect(await administration.run(['parked', 'replay', 'all', '--consumer', 'webhooks'])).toEqual({ requested: 1 });
  await expect.poll(parked, WITHIN).toEqual([]);
  await expect(administration.run(['parked', 'drop', id])).rejects.toThrow(`There is no parked event ${id}.`);
  await administration.close();
  await program.stop();
});
