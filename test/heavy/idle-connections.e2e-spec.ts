import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileStage } from '../support/hostile-stage.js';

const IDLE = Number(process.env['POSTLOFT_IDLE_CONNECTIONS'] ?? 10_000);
const WORKING = 100;
const EHLO_MS = 250;
/** What the idle ones may add to the program beside them, in MiB. */
const MORE_MIB = 250;

/** ten thousand connections that say nothing, beside a hundred that send one mail after another. */
describe('idle connections', () => {
  let stage: HostileStage;
  beforeAll(async () => {
    stage = await HostileStage.open();
  });
  afterAll(async () => {
    await stage?.close();
  });

  it(`are held, ${IDLE} of them, while ${WORKING} others work and new ones are greeted`, async () => {
    const before = stage.memory();
    const { open, failed } = await stage.attack<{ open: number; failed: number }>('idle', { count: IDLE });
    const held = stage.memory();
    expect({ open, failed }).toEqual({ open: IDLE, failed: 0 });
    const take = stage.honest();
    const working = stage.attack<{ reply: string }[]>('mails', {
      count: WORKING,
      tag: 'w',
      to: 'w@s#.example',
      rounds: 8,
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    await take();
    await new Promise((resolve) => setTimeout(resolve, 6_000));
    const { ehlo, failures } = await take();
    const told = await working;
    console.log(
      `${IDLE} idle + ${WORKING} working: fresh EHLO p50 ${ehlo.p50}, p99 ${ehlo.p99} ms (${ehlo.count}); ${told.length} mails; ` +
        `memory ${before.now} → ${held.now} MiB with them, ${stage.memory().now} MiB at work`,
    );
    expect(failures).toEqual([]);
    expect(told.filter(({ reply }) => !reply.startsWith('250'))).toEqual([]);
    expect(ehlo.p99).toBeLessThanOrEqual(EHLO_MS);
    expect(held.now - before.now).toBeLessThanOrEqual(MORE_MIB);
  });

  it('beyond the share of an address are told 421', async () => {
    const one = await stage.attack<{ open: number; failed: number }>('idle', { count: 150, from: '127.0.0.67' });
    expect(one).toEqual({ open: 100, failed: 50 });
  });
});
