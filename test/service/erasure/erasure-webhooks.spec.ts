import { newId } from '#libs/contracts';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { openErasureFixture, type ErasureFixture } from '../../support/fixtures/erasure-fixture.js';

const ADDRESS = 'ada@recipient.example';

describe('the erasure of a recipient from webhook deliveries', () => {
  let fixture: ErasureFixture;
  let accountId: string;
  beforeAll(async () => {
    fixture = await openErasureFixture();
    accountId = fixture.queue.accountId;
  });
  afterAll(() => fixture?.queue.close());
  beforeEach(async () => {
    for (const table of ['webhook_deliveries', 'webhook_attempts', 'webhooks', 'erasures'])
      await fixture.rows(`DELETE FROM ${table}`);
  });

  const addWebhook = async (id = newId('wh')): Promise<string> => {
    await fixture.rows(
      `INSERT INTO webhooks (id, account_id, url, events, secret_sealed) VALUES ($1, $2, 'https://x.example', '{*}', '')`,
      ...[id, accountId],
    );
    return id;
  };
  /** Deliveries with the address in body, error and response, each with an attempt. */
  async function addDeliveries(webhookId: string, count: number, account = accountId): Promise<void> {
    await fixture.rows(
      `WITH made AS (
         INSERT INTO webhook_deliveries (id, webhook_id, account_id, event_id, event_type, sequence, body, status, last_error, last_response)
         SELECT 'dlv_' || $1 || n, $1, $2, 'evt_' || n, 'email.delivered', 1, '{"data":{"recipient":"${ADDRESS}"}}', 'failed', 'no ${ADDRESS}', '${ADDRESS}'
           FROM generate_series(1, $3::int) AS n RETURNING id, webhook_id)
       INSERT INTO webhook_attempts (id, delivery_id, webhook_id, number, latency_ms, response, started_at)
       SELECT 'atm_' || id, id, webhook_id, 1, 1, 'unknown: ${ADDRESS}', now() FROM made`,
      ...[webhookId, account, count],
    );
  }
  const left = async (account = accountId): Promise<number> => {
    const [{ n }] = await fixture.rows<{ n: number }>(
      `SELECT count(*)::int AS n FROM webhook_deliveries d LEFT JOIN webhook_attempts a ON a.delivery_id = d.id
        WHERE d.account_id = $1 AND strpos(concat(d.body, d.last_error, d.last_response, a.response), $2) > 0`,
      ...[account, ADDRESS],
    );
    return n;
  };
  async function erase(): Promise<number> {
    const { id } = await fixture.erasures.request(accountId, ADDRESS, { actor: 'key_test' });
    await fixture.finish(id);
    return (await fixture.erasures.find(accountId, id))?.receipt.erased.webhook_deliveries ?? 0;
  }

  it('includes endpoints that were removed, before and behind those that are left', async () => {
    const removed = ['wh_0', 'wh_5', 'wh_9'];
    const webhooks = [await addWebhook('wh_3'), await addWebhook('wh_7'), ...removed];
    for (const id of webhooks) await addDeliveries(id, 5);
    await addDeliveries('wh_4', 5, 'acc_other');
    expect(await erase()).toBe(25);
    expect([await left(), await left('acc_other')]).toEqual([0, 5]);
  });

  it('reads endpoints with any number of deliveries, and accounts with removed endpoints only', async () => {
    await addDeliveries('wh_1', 4_500);
    await addDeliveries('wh_2', 1);
    expect(await erase()).toBe(4_501);
    expect(await left()).toBe(0);
  });
});
