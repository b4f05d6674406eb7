import { afterEach, describe, expect, it } from 'vitest';
import { describeRounds, inRounds, shareOf } from '../support/attacks/honest-rounds.js';
import { HostileFixture, type Honest } from '../support/attacks/hostile-fixture.js';

const SLOW = Number(process.env['POSTLOFT_SLOW_CLIENTS'] ?? 2_000);
const RESETS = Number(process.env['POSTLOFT_RESETS'] ?? 1_000);
const LINES = Number(process.env['POSTLOFT_FUZZED_LINES'] ?? 100_000);
const FLOODS = 50;
const SEED = 20_261_121;
const MIB = 1024 * 1024;
const LIMIT = 10 * MIB;
const GONE_MS = 60_000;
const WAVE_MS = 12_000;
/**
 * New connections, lines of junk, floods and expensive messages per second in the first attacks. Attackers share the
 * processors with the program, so that their own work would distort the measurement.
 */
const CONNECTIONS_A_SECOND = 100;
const LINES_A_SECOND = 4_000;
const FLOODS_A_SECOND = 5;
const BOMBS_A_SECOND = 1;
/** New connections per second of the second attacks, which have a third of the volume. */
const STORM_A_SECOND = 500;
const FACTOR = 2;
/** Below this the ratio is not compared: a new EHLO takes several turns of the event loop. */
const FLOOR_MS = 100;
/** A mail takes five replies and a commit. */
const MAIL_FLOOR_MS = 3 * FLOOR_MS;

interface Life {
  phase: string;
  /** Since it connected, and since its phase began, in ms. */
  life: number;
  phaseLife: number;
  last: string;
}

/** No crash, every hostile client disconnected in time, and little effect on honest clients. */
describe('hostile clients', () => {
  let fixture: HostileFixture;
  afterEach(async () => {
    await fixture?.close();
  });

  /** Starts the honest clients and lets them warm up. */
  async function honestClients(): Promise<() => Promise<Honest>> {
    const take = fixture.honest();
    await pause(2_000);
    return take;
  }

  async function compare(
    what: string,
    take: () => Promise<Honest>,
    attack: (round: number) => Promise<unknown>,
  ): Promise<void> {
    const rounds = await inRounds(fixture, take, attack);
    const { now, peak } = fixture.memory();
    console.log(`${what}: ${describeRounds(rounds)}, memory ${now} MiB (peak ${peak})`);
    const { alone, beside, failures } = rounds;
    expect(failures, what).toEqual([]);
    expect(beside.ehlo, `${what}: EHLO`).toBeLessThanOrEqual(Math.max(FACTOR * alone.ehlo, FLOOR_MS));
    expect(beside.mail, `${what}: mail`).toBeLessThanOrEqual(Math.max(FACTOR * alone.mail, MAIL_FLOOR_MS));
  }

  it(`are gone within a minute, ${SLOW} of them, slow in every phase`, async () => {
    fixture = await HostileFixture.open();
    const take = await honestClients();
    // The connections of earlier waves stay open.
    const waves: Promise<Life[]>[] = [];
    let opened = 0;
    const wave = (count: number, perSecond: number) => () => {
      waves.push(fixture.attack<Life[]>('slowloris', { count, first: opened, everyMs: 5_000, perSecond }));
      opened += count;
      return pause(WAVE_MS);
    };
    await compare(`slowloris, ${CONNECTIONS_A_SECOND} a second`, take, wave(shareOf(SLOW / 2), CONNECTIONS_A_SECOND));
    await compare(`slowloris, ${STORM_A_SECOND} a second`, take, wave(shareOf(SLOW), STORM_A_SECOND));
    const lives = (await Promise.all(waves)).flat();
    expect(lives.length).toBeGreaterThanOrEqual(1.5 * SLOW);
    for (const phase of new Set(lives.map((life) => life.phase))) {
      const these = lives.filter((life) => life.phase === phase);
      const longest = Math.max(...these.map((life) => life.phaseLife));
      console.log(`${these.length} × ${phase}: gone after at most ${Math.round(longest)} ms; "${these[0].last}"`);
      expect(longest, phase).toBeLessThan(GONE_MS);
    }
    expect(fixture.program.output()).not.toMatch(/"level":[56]0/);
  });

  it('reset, flood and send junk without a crash or an error in the log', async () => {
    fixture = await HostileFixture.open();
    const take = await honestClients();
    await compare(`${RESETS} resets in each of nine phases, ${CONNECTIONS_A_SECOND} a second`, take, () =>
      fixture.attack('resets', { count: shareOf(RESETS), perSecond: CONNECTIONS_A_SECOND }),
    );
    await compare(`a third as many resets, ${STORM_A_SECOND} a second`, take, () =>
      fixture.attack('resets', { count: shareOf(RESETS / 3), perSecond: STORM_A_SECOND }),
    );
    await compare(`${LINES} lines of junk, ${LINES_A_SECOND} a second`, take, (round) =>
      fixture.attack('fuzz', { lines: shareOf(LINES), seed: SEED + round, perSecond: LINES_A_SECOND }),
    );
    await compare('a third as many lines of junk, as fast as they come', take, (round) =>
      fixture.attack('fuzz', { lines: shareOf(LINES / 3), seed: SEED - 1 - round }),
    );
    await compare(`${FLOODS} floods of commands, ${FLOODS_A_SECOND} a second`, take, () =>
      fixture.attack('flood', { count: shareOf(FLOODS), perSecond: FLOODS_A_SECOND }),
    );
    expect(fixture.program.output()).not.toMatch(/"level":[56]0/);
  });

  it('send messages that are expensive to read, and more than is allowed', async () => {
    fixture = await HostileFixture.open();
    const take = await honestClients();
    const bombs = (perSecond?: number) => async () => {
      const results = await fixture.attack<{ name: string; reply: string; took: number }[]>('bomb', { perSecond });
      for (const { name, reply, took } of results)
        console.log(`${name}: ${Math.round(took)} ms, ${reply.slice(0, 60)}`);
    };
    await compare(`bombs, ${BOMBS_A_SECOND} a second`, take, bombs(BOMBS_A_SECOND));
    await compare('bombs, one after the other', take, bombs());
    const oversize = (octets: number) =>
      fixture.attack<{ last: string }[]>('oversize', { count: 50, octets, limit: LIMIT });
    await oversize(LIMIT - MIB / 2);
    const honest = fixture.memory();
    const senders = await oversize(10 * LIMIT);
    const { peak } = fixture.memory();
    console.log(`memory: ${honest.peak} MiB with 50 messages of 10 MiB, ${peak} MiB with 50 of 100 MiB`);
    expect(senders.map(({ last }) => last.slice(0, 9))).toEqual(Array(50).fill('552 5.3.4'));
    const [endless] = await fixture.attack<{ last: string; afterLimit: number }[]>('oversize', {
      count: 1,
      octets: 100_000 * MIB,
      limit: LIMIT,
    });
    expect(endless.last).toBe('552 5.3.4 The message is too large');
    expect(endless.afterLimit).toBeLessThan(10_000);
    expect(peak - honest.peak).toBeLessThanOrEqual(64);
    expect(fixture.program.output()).not.toMatch(/"level":[56]0/);
  });
});

const pause = (ms: number) => new Promise((resolve) => setTimeout(resolve, ms));
