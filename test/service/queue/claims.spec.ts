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
  let fixture: QueueFixture;
  let program: QueueProcess;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
  });
  afterEach(async () => {
    for (const table of ['emails', 'recipients', 'email_contents'])
      await fixture.db.database.query(`DELETE FROM ${table}`);
  });
  afterAll(() => fixture?.close());

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  const accept = () => program.intake.accept(submission(fixture.accountId));

  it('spares a living worker when the database clock is set ahead, and frees a dead one when it is set back', async () => {
    await Promise.all([accept(), accept()]);
    const [living, dead] = [await fixture.open(), await fixture.open()];
    expect([await living.queue.claim(1), await dead.queue.claim(1)].flat()).toHaveLength(2);
    const shift = (worker: Worker, by: string) =>
      fixture.db.database.query(`UPDATE workers SET heartbeat_at = now() + $2::interval WHERE id = $1`, [
        worker.id,
        by,
      ]);
    await program.worker.releaseDeadClaims();
    await shift(living.worker, '-1 hour');
    expect(await program.worker.releaseDeadClaims()).toBe(0);
    await shift(dead.worker, '1 hour');
    expect(await program.worker.releaseDeadClaims()).toBe(0);
    passTime(21_000);
    await Promise.all([living.worker.beat(), program.worker.beat()]);
    expect(await program.worker.releaseDeadClaims()).toBe(1);
    expect((await rows('SELECT FROM recipients WHERE claimed_by = $1', living.worker.id)).length).toBe(1);
  });

  it('releases claims of its own that no job stands for, at the second look, and keeps the others', async () => {
    await Promise.all([accept(), accept(), accept()]);
    const [kept] = await program.queue.claim(1);
    // As when the answer of the claiming statement is lost with the connection: claimed, and nobody knows.
    await program.queue.claim(2);
    const released = vi.fn();
    const claims = new ClaimSweep(
      {
        name: 'recipients',
        stored: () => program.queue.storedClaims(),
        held: () => claimKeysOf(kept),
        release: (orphaned) => program.queue.releaseClaims(orphaned),
        onReleased: released,
      },
      program.worker,
      Log.quiet(),
    );
    await program.worker.claim(async () => {
      await claims.sweep();
      // A claim that began before the last look may still be answered.
      await claims.sweep();
    });
    expect(released).not.toHaveBeenCalled();
    await claims.sweep();
    expect(released).toHaveBeenCalledTimes(1);
    expect(await program.queue.claim(10)).toHaveLength(2);
    expect(program.queue.isClaimValid(kept)).toBe(true);
    expect(await rows('SELECT status FROM recipients WHERE email_id = $1', kept.email.id)).toEqual([
      { status: 'sending' },
    ]);
  });

  it('regards claims of an accept transaction as in progress until its commit is answered', async () => {
    await accept();
    const [job] = await program.queue.claim(1);
    program.localDelivery.connect({ worker: program.worker, accepts: () => true, take: () => undefined });
    const reservations = [program.localDelivery.reserve([job], 1), program.localDelivery.reserve([job], 1)];
    expect(program.worker.claimingSince).toBeLessThanOrEqual(performance.now());
    reservations[0].deliver?.();
    expect(program.worker.claimingSince).toBeLessThanOrEqual(performance.now());
    reservations[1].cancel();
    expect(program.worker.claimingSince).toBe(Infinity);
    program.localDelivery.leave(job);
    program.localDelivery.disconnect();
  });
});
