import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { appendEvents, routedEvent } from '#libs/persistence';
import type { QueryRunner } from 'typeorm';
import { OutboxPortions0020 } from '../../libs/persistence/src/migrations/0020-outbox-portions.js';
import { createTestDatabase, type OpenTestDatabase } from '../support/test-database.js';

const migration = new OutboxPortions0020();
const accountId = newId('acc');
let db: OpenTestDatabase;
let runner: QueryRunner;

beforeAll(async () => {
  db = await createTestDatabase([]);
  runner = db.dataSource.createQueryRunner();
});
afterAll(async () => {
  await runner?.release();
  await db?.close();
});

/** Signs that mean something in JSON, in an array's text, or are longer than one octet. */
const reason: string = 'a "quoted" \\ word, {braces}, NULL, a line\nfeed, ü, 🙂 and half of one: \ud83d';

const eventOf = (key: string, sequence: number, domainId: string | null) =>
  routedEvent({
    ...{ type: 'webhook.disabled', accountId, key, sequence, domainId, test: sequence > 1, at: new Date() },
    data: { webhook_id: key, url: 'https://example.com/', reason },
  } as Parameters<typeof routedEvent<'webhook.disabled'>>[0]);

it('events that wait while the outbox changes its form keep their order and all they say', async () => {
  const before = [eventOf('wh_1', 1, null), eventOf('wh_1', 2, 'dom_1'), eventOf('wh_2', 1, null)];
  const content = async () =>
    (
      await db.database.query(
        'SELECT event_id, key, sequence, account_id, domain_id, type, test, created_at, data FROM outbox ORDER BY id, key, sequence',
      )
    ).rows;
  await appendEvents(db.database, before);
  const portion = await content();
  expect(portion).toEqual(
    before.map(({ event, key, sequence, domainId, test }) => ({
      ...{ event_id: event.id, key, sequence, account_id: accountId, domain_id: domainId, type: event.type, test },
      ...{ created_at: new Date(event.created_at), data: event.data },
    })),
  );
  await migration.down(runner);
  expect(await content()).toEqual(portion);
  await migration.up(runner);
  expect(await content()).toEqual(portion);
  const { rows } = await db.database.query('SELECT cardinality(key) AS events FROM outbox_portions ORDER BY id');
  expect(rows).toEqual([{ events: 1 }, { events: 1 }, { events: 1 }]);
});
