import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileFixture, type Honest } from '../support/attacks/hostile-fixture.js';

const IDLE = Number(process.env['POSTLOFT_IDLE_CONNECTIONS'] ?? 10_000);
const WORKING = 100;
const EHLO_MS = 250;
/** Memory that the idle connections may add, in MiB. */
const MORE_MIB = 250;

/** Ten thousand idle connections beside a hundred that send one mail after another. */
describe('idle connections', () => {
  let fixture: HostileFixture;
  beforeAll(async () => {
    fixture = await HostileFixture.open();
  });
  afterAll(async () => {
    await fixture?.close();
  });

  it(`are held, ${IDLE} of them, while ${WORKING} others work and new ones are greeted`, async () => {
    const alone = await work();
    const before = fixture.memory();
    const { open, failed } = await fixture.attack<{ open: number; failed: number }>('idle', { count: IDLE });
    const held = fixture.memory();
    expect({ open, failed }).toEqual({ open: IDLE, failed: 0 });
    const beside = await work();
    console.log(
      `${IDLE} idle + ${WORKING} working: fresh EHLO p99 ${beside.ehlo.p99} ms of ${beside.ehlo.count}, without the idle ones ` +
        `${alone.ehlo.p99} ms; memory ${before.now} → ${held.now} MiB, ${fixture.memory().now} MiB at work`,
    );
    expect(beside.ehlo.p99).toBeLessThanOrEqual(Math.max(EHLO_MS, 1.5 * alone.ehlo.p99));
    expect(held.now - before.now).toBeLessThanOrEqual(MORE_MIB);
  });

  /** Latency of new clients while a hundred sessions send eight mails each. */
  async function work(): Promise<Honest> {
    const working = fixture.attack<{ reply: string }[]>('mails', {
      count: WORKING,
      tag: 'w',
      to: 'w@s#.example',
      rounds: 8,
    });
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const honest = fixture.honest();
    const told = await working;
    const seen = await honest();
    expect(seen.failures).toEqual([]);
    expect(told.filter(({ reply }) => !reply.startsWith('250'))).toEqual([]);
    return seen;
  }

  it('beyond the share of an address get 421', async () => {
    const one = await fixture.attack<{ open: number; failed: number }>('idle', { count: 150, from: '127.0.0.67' });
    expect(one).toEqual({ open: 100, failed: 50 });
  });
});
