import { newId, wholeAccount } from '#libs/contracts';
import { Webhook as Verifier } from 'standardwebhooks';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import type { ReceivedCall } from '../../support/webhooks/webhook-receiver.js';
import { queuedEvents, type WebhooksProcess } from '../../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../../support/webhooks/webhooks-fixture.js';

let stage: WebhooksFixture;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
});
afterEach(() => stage.clear());
afterAll(() => stage.close());

describe('WebhookSecrets', () => {
  const signedBy = (secret: string, call: ReceivedCall) => {
    try {
      return new Verifier(secret).verify(call.body, call.headers as Record<string, string>) !== undefined;
    } catch {
      return false;
    }
  };
  const callAfter = async (made: WebhooksProcess, path: string, count: number) => {
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    return (await stage.receiver.waitFor(path, count))[count - 1];
  };

  it('rotates: both secrets sign during the overlap, the new one alone after it', async () => {
    const made = await stage.running();
    const { id, secret: old } = await stage.subscribe(made, '/rotated');
    const rotated = await made.secrets.rotate(wholeAccount(stage.accountId), id, 1);
    expect(rotated).toMatchObject({ id, object: 'webhook', secret: expect.stringMatching(/^whsec_/) });
    const until = Date.parse(rotated?.previous_secret_expires_at ?? '');
    expect(Math.abs(until - Date.now() - 3600_000)).toBeLessThan(60_000);
    expect(await made.subscriptions.find(wholeAccount(stage.accountId), id)).toMatchObject({
      previous_secret_expires_at: rotated?.previous_secret_expires_at,
    });
    const young = rotated?.secret ?? '';
    expect(young).not.toBe(old);
    const during = await callAfter(made, '/rotated', 1);
    expect([signedBy(young, during), signedBy(old, during)]).toEqual([true, true]);
    expect(String(during.headers['x-service-signature'])).toMatch(/^t=\d+,v1=[0-9a-f]{64},v1=[0-9a-f]{64}$/);

    await stage.db.database.query(`UPDATE webhooks SET previous_secret_until = now() - interval '1 s' WHERE id = $1`, [
      id,
    ]);
    const after = await callAfter(made, '/rotated', 2);
    expect([signedBy(young, after), signedBy(old, after)]).toEqual([true, false]);
    expect(await made.subscriptions.find(wholeAccount(stage.accountId), id)).toMatchObject({
      previous_secret_expires_at: null,
    });
    expect(await made.secrets.reveal(wholeAccount(stage.accountId), id)).toBe(young);
  });

  it('ends the old secret at once without an overlap, and takes nothing but 0 to 72 hours', async () => {
    const made = await stage.running();
    const { id, secret: old } = await stage.subscribe(made, '/at-once');
    const rotated = await made.secrets.rotate(wholeAccount(stage.accountId), id, 0);
    expect(rotated?.previous_secret_expires_at).toBeNull();
    const call = await callAfter(made, '/at-once', 1);
    expect([signedBy(rotated?.secret ?? '', call), signedBy(old, call)]).toEqual([true, false]);
    for (const hours of [-1, 73, 1.5, NaN, '24'])
      await expect(made.secrets.rotate(wholeAccount(stage.accountId), id, hours as number)).rejects.toMatchObject({
        details: [{ field: 'overlap_hours', code: 'out_of_range' }],
      });
    expect(await made.secrets.rotate(wholeAccount(newId('acc')), id)).toBeNull();
    expect(await made.secrets.reveal(wholeAccount(newId('acc')), id)).toBeNull();
  });

  it('notices a secret that was moved to another row or another place of its row, and signs nothing with it', async () => {
    const made = await stage.running({ WEBHOOK_RETRY_SCHEDULE: '20ms' });
    const [moved, kept] = [await stage.subscribe(made, '/moved'), await stage.subscribe(made, '/kept')];
    await made.secrets.rotate(wholeAccount(stage.accountId), moved.id);
    await stage.db.database.query(
      `UPDATE webhooks SET secret_sealed = previous_secret_sealed, previous_secret_sealed = secret_sealed WHERE id = $1`,
      [moved.id],
    );
    await stage.db.database.query(
      `UPDATE webhooks SET secret_sealed = (SELECT secret_sealed FROM webhooks WHERE id = $2) WHERE id = $1`,
      [kept.id, moved.id],
    );
    await made.fanOut.handle({ events: queuedEvents(stage.accountId) });
    for (const { id } of [moved, kept])
      expect(await stage.finished(id)).toMatchObject([{ status: 'failed', last_error: 'secret_unreadable' }]);
    expect(stage.receiver.callsTo('/moved')).toEqual([]);
    expect(stage.receiver.callsTo('/kept')).toEqual([]);
    // Rotation is the way out.
    const repaired = await made.secrets.rotate(wholeAccount(stage.accountId), moved.id);
    expect(repaired?.previous_secret_expires_at).toBeNull();
    const call = await callAfter(made, '/moved', 1);
    expect(signedBy(repaired?.secret ?? '', call)).toBe(true);
  });

  it('keeps nothing readable in the database', async () => {
    const made = stage.newProcess();
    const { id, secret } = await stage.subscribe(made, '/sealed');
    await made.secrets.rotate(wholeAccount(stage.accountId), id);
    const { rows } = await stage.db.database.query<{ dump: string }>('SELECT webhooks::text AS dump FROM webhooks');
    const bytes = Buffer.from(secret.slice(6), 'base64').toString('hex');
    for (const { dump } of rows)
      for (const part of [secret, secret.slice(6), 'whsec_', bytes, Buffer.from(secret).toString('hex')])
        expect(dump.includes(part)).toBe(false);
  });
});
