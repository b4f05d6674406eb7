import { Log } from '#libs/kernel';
import { ClaimSweep, type Worker } from '#libs/persistence';
import { afterAll, afterEach, beforeAll, describe, expect, it, vi } from 'vitest';
import { claimKeysOf } from '../../../libs/queue/src/queue.js';
import { passTime } from '../../support/timing/clock.js';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';

describe('claims of recipients', () => {
  let offices: QueueFixture;
  let office: QueueProcess;
  beforeAll(async () => {
    offices = await openQueueFixture();
    office = await offices.open();
  });
  afterEach(async () => {
    for (const table of ['emails', 'recipients', 'email_contents'])
      await offices.db.database.query(`DELETE FROM ${table}`);
  });
  afterAll(() => offices?.close());

  const rows = async <R>(sql: string, ...values: unknown[]) => (await offices.db.database.query<R>(sql, values)).rows;
  const accept = () => office.intake.accept(submission(offices.accountId));

  it('spares a living worker when the database clock is set ahead, and frees a dead one when it is set back', async () => {
    await Promise.all([accept(), accept()]);
    const [living, dead] = [await offices.open(), await offices.open()];
    expect([await living.queue.claim(1), await dead.queue.claim(1)].flat()).toHaveLength(2);
    const shift = (worker: Worker, by: string) =>
      offices.db.database.query(`UPDATE workers SET heartbeat_at = now() + $2::interval WHERE id = $1`, [
        worker.id,
        by,
      ]);
    await office.worker.releaseDeadClaims();
    await shift(living.worker, '-1 hour');
    expect(await office.worker.releaseDeadClaims()).toBe(0);
    await shift(dead.worker, '1 hour');
    expect(await office.worker.releaseDeadClaims()).toBe(0);
    passTime(21_000);
    await Promise.all([living.worker.beat(), office.worker.beat()]);
    expect(await office.worker.releaseDeadClaims()).toBe(1);
    expect((await rows('SELECT FROM recipients WHERE claimed_by = $1', living.worker.id)).length).toBe(1);
  });

  it('releases claims of its own that no job stands for, at the second look, and keeps the others', async () => {
    await Promise.all([accept(), accept(), accept()]);
    const [kept] = await office.queue.claim(1);
    // As when the answer of the claiming statement is lost with the connection: claimed, and nobody knows.
    await office.queue.claim(2);
    const released = vi.fn();
    const claims = new ClaimSweep(
      {
        name: 'recipients',
        stored: () => office.queue.storedClaims(),
        held: () => claimKeysOf(kept),
        release: (orphaned) => office.queue.releaseClaims(orphaned),
        onReleased: released,
      },
      office.worker,
      Log.quiet(),
    );
    await office.worker.claim(async () => {
      await claims.sweep();
      // A claim that began before the last look may still be answered.
      await claims.sweep();
    });
    expect(released).not.toHaveBeenCalled();
    await claims.sweep();
    expect(released).toHaveBeenCalledTimes(1);
    expect(await office.queue.claim(10)).toHaveLength(2);
    expect(office.queue.isClaimValid(kept)).toBe(true);
    expect(await rows('SELECT status FROM recipients WHERE email_id = $1', kept.email.id)).toEqual([
      { status: 'sending' },
    ]);
  });

  it('regards claims of an accept transaction as in progress until its commit is answered', async () => {
    await accept();
    const [job] = await office.queue.claim(1);
    office.localDelivery.connect({ worker: office.worker, accepts: () => true, take: () => undefined });
    const reservations = [office.localDelivery.reserve([job], 1), office.localDelivery.reserve([job], 1)];
    expect(office.worker.claimingSince).toBeLessThanOrEqual(performance.now());
    reservations[0].deliver?.();
    expect(office.worker.claimingSince).toBeLessThanOrEqual(performance.now());
    reservations[1].cancel();
    expect(office.worker.claimingSince).toBe(Infinity);
    office.localDelivery.leave(job);
    office.localDelivery.disconnect();
  });
});
