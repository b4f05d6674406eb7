import { afterAll, beforeAll, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import { outbox } from '#libs/persistence';
import { createTestDatabase, type OpenTestDatabase, OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

const accountId = newId('acc');
let db: OpenTestDatabase;

beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db?.close());

/** Characters that are special in JSON or in the text form of an array, or take more than one byte. */
const reason: string = 'a "quoted" \\ word, {braces}, NULL, a line\nfeed, ü, 🙂 and half of one: \ud83d';

const eventOf = (key: string, sequence: number, [domainId, apiKeyId]: [string | null, string | null] = [null, null]) =>
  outbox.event({
    ...{ type: 'webhook.disabled', accountId, key, sequence, domainId, apiKeyId, test: sequence > 1, at: new Date() },
    data: { webhook_id: key, url: 'https://example.com/', reason },
  } as Parameters<typeof outbox.event<'webhook.disabled'>>[0]);

it('keeps events in order and complete, one row per transaction', async () => {
  const events = [eventOf('wh_1', 1), eventOf('wh_1', 2, ['dom_1', 'key_1']), eventOf('wh_2', 1)];
  await outbox.append(db.database, events);
  const stored = await db.database.query(
    `SELECT event_id, key, sequence, account_id, domain_id, api_key_id, type, test, created_at, data FROM ${OUTBOX_EVENTS} ORDER BY id, key, sequence`,
  );
  expect(stored.rows).toEqual(
    events.map(({ event, key, sequence, domainId, apiKeyId, test }) => ({
      ...{ event_id: event.id, key, sequence, account_id: accountId, domain_id: domainId, type: event.type, test },
      api_key_id: apiKeyId,
      ...{ created_at: new Date(event.created_at), data: event.data },
    })),
  );
  const { rows } = await db.database.query('SELECT cardinality(key) AS events FROM outbox');
  expect(rows).toEqual([{ events: 3 }]);
});
