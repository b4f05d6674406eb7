import { afterEach, describe, expect, it } from 'vitest';
import { HostileStage, type Honest } from '../support/hostile-stage.js';

const SLOW = Number(process.env['POSTLOFT_SLOW_CLIENTS'] ?? 2_000);
const RESETS = Number(process.env['POSTLOFT_RESETS'] ?? 1_000);
const LINES = Number(process.env['POSTLOFT_FUZZED_LINES'] ?? 100_000);
const MIB = 1024 * 1024;
const LIMIT = 10 * MIB;
const GONE_MS = 60_000;
const FACTOR = 2;
/** Below this the ratio says nothing: a fresh EHLO takes several turns of the loop, and the machine has other work too. */
const FLOOR_MS = 100;
/** A mail takes its five replies and a commit. */
const MAIL_FLOOR_MS = 3 * FLOOR_MS;

interface Life {
  phase: string;
  /** Since it connected, and since it came to its phase, in ms. */
  life: number;
  phaseLife: number;
  last: string;
}

/** S-20 to S-24 in full: no crash, everybody gone in time, and an honest client beside them hardly notices. */
describe('hostile clients', () => {
  let stage: HostileStage;
  afterEach(async () => {
    await stage?.close();
  });

  /** What honest clients see alone for some seconds, and a function that tells what they saw since. */
  async function withHonest(): Promise<{ alone: Honest; take: () => Promise<Honest> }> {
    const take = stage.honest();
    await pause(2_000);
    await take();
    stage.loopLag();
    await pause(4_000);
    const alone = await take();
    return { alone, take };
  }

  function compare(what: string, alone: Honest, beside: Honest): void {
    const { now, peak } = stage.memory();
    console.log(
      `${what}: EHLO p99 ${beside.ehlo.p99} ms (alone ${alone.ehlo.p99}), mail p99 ${beside.mail.p99} ms (alone ${alone.mail.p99}), ` +
        `loop held ${stage.loopLag()} ms at most, memory ${now} MiB (peak ${peak})`,
    );
    expect(beside.failures, what).toEqual([]);
    expect(beside.ehlo.p99, `${what}: EHLO`).toBeLessThanOrEqual(Math.max(FACTOR * alone.ehlo.p99, FLOOR_MS));
    expect(beside.mail.p99, `${what}: mail`).toBeLessThanOrEqual(Math.max(FACTOR * alone.mail.p99, MAIL_FLOOR_MS));
  }

  it(`are gone within a minute, ${SLOW} of them, slow in every phase`, async () => {
    stage = await HostileStage.open();
    const { alone, take } = await withHonest();
    const lives = await stage.attack<Life[]>('slowloris', { count: SLOW, everyMs: 5_000 });
    compare('slowloris', alone, await take());
    for (const phase of new Set(lives.map((life) => life.phase))) {
      const these = lives.filter((life) => life.phase === phase);
      const longest = Math.max(...these.map((life) => life.phaseLife));
      console.log(`${these.length} × ${phase}: gone after at most ${Math.round(longest)} ms; "${these[0].last}"`);
      expect(longest, phase).toBeLessThan(GONE_MS);
    }
    expect(stage.program.output()).not.toMatch(/"level":[56]0/);
  });

  it('reset, flood and send junk without ending the program or its log', async () => {
    stage = await HostileStage.open();
    const { alone, take } = await withHonest();
    await stage.attack('resets', { count: RESETS, pauseMs: 20 });
    compare(`${RESETS} resets in each of nine phases`, alone, await take());
    const { lines, sessions } = await stage.attack<{ lines: number; sessions: number }>('fuzz', {
      lines: LINES,
      seed: 20_261_121,
    });
    compare(`${lines} lines of junk in ${sessions} sessions`, alone, await take());
    await stage.attack('flood', { count: 50, pauseMs: 50 });
    compare('50 floods of commands', alone, await take());
    expect(stage.program.output()).not.toMatch(/"level":[56]0/);
  });

  it('send what is dear to read, and more than is allowed', async () => {
    stage = await HostileStage.open();
    const { alone, take } = await withHonest();
    const results = await stage.attack<{ name: string; reply: string; took: number }[]>('bomb');
    for (const { name, reply, took } of results) console.log(`${name}: ${Math.round(took)} ms, ${reply.slice(0, 60)}`);
    compare('bombs', alone, await take());
    const oversize = (octets: number) =>
      stage.attack<{ last: string }[]>('oversize', { count: 50, octets, limit: LIMIT });
    await oversize(LIMIT - MIB / 2);
    const honest = stage.memory();
    const senders = await oversize(10 * LIMIT);
    const { peak } = stage.memory();
    console.log(`memory: ${honest.peak} MiB with 50 messages of 10 MiB, ${peak} MiB with 50 of 100 MiB`);
    expect(senders.map(({ last }) => last.slice(0, 9))).toEqual(Array(50).fill('552 5.3.4'));
    expect(peak - honest.peak).toBeLessThanOrEqual(64);
    expect(stage.program.output()).not.toMatch(/"level":[56]0/);
  });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
