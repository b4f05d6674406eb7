import { readFileSync } from 'node:fs';
import { loadavg } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { CDPSession } from 'playwright-core';
import { insertMessages } from '../../bench/list/fill.mjs';
import { Stage } from '../browser/gate/stage.js';
import { describeInChromium } from '../support/browser/chromium.js';

const MESSAGES = 100_000;
const VISITS = 5;
const USABLE_MS = 700;
const WEIGHT_BYTES = 250_000;
/** The page, then its scripts with the session, then the query of the overview with the icon, then the live counts. */
const SEQUENCE = 4;

interface Visit {
  usableMs: number;
  bytes: number;
  requests: number;
  /** The longest chain of requests each of which began after the end of the one before. */
  inSequence: number;
  /** Processor time of scripts. */
  scriptMs: number;
}

interface Timing {
  begin: number;
  end: number;
}

describeInChromium(`The first page, with ${MESSAGES} messages and nothing in the cache`, () => {
  let stage: Stage;
  const visits: Visit[] = [];

  beforeAll(async () => {
    stage = await Stage.open();
    const { service } = stage;
    const { id } = await service.json<{ id: string }>('GET', '/account');
    await insertMessages(readFileSync(join(service.dataDir, 'database-url'), 'utf8').trim(), id, MESSAGES);
    const link = await stage.loginLink();
    await stage.owner.page.goto(link);
    await stage.owner.heading().waitFor();
    const storageState = await stage.owner.context.storageState();
    for (let i = 0; i < VISITS; i += 1) visits.push(await visit(storageState));
    console.log(visits.map((one) => JSON.stringify(one)).join('\n'));
    console.log(`load ${loadavg()[0].toFixed(1)}`);
  });
  afterAll(() => stage?.close());

  async function visit(storageState: Awaited<ReturnType<typeof stage.owner.context.storageState>>): Promise<Visit> {
    const viewport = { width: 1440, height: 900 };
    const { page, context } = await stage.chromium.profile(stage.service, { storageState, viewport });
    const session = await context.newCDPSession(page);
    const timings = await watchRequests(session);
    await session.send('Performance.enable');
    await page.goto('/app/', { waitUntil: 'commit' });
    await page.locator('[data-number="Accepted"]').waitFor();
    const usableMs = Math.round(await page.evaluate<number>('performance.now()'));
    const { metrics } = await session.send('Performance.getMetrics');
    const finished = [...timings.values()].filter(({ end }) => end > 0);
    await context.close();
    return {
      usableMs,
      bytes: timings.bytes,
      requests: finished.length,
      inSequence: longestChain(finished),
      scriptMs: Math.round((metrics.find(({ name }) => name === 'ScriptDuration')?.value ?? 0) * 1_000),
    };
  }

  const median = (name: keyof Visit): number => visits.map((one) => one[name]).sort((a, b) => a - b)[2];

  it(`is usable within ${USABLE_MS} ms`, () => expect(median('usableMs')).toBeLessThanOrEqual(USABLE_MS));
  it(`has at most ${WEIGHT_BYTES / 1_000} kB`, () => expect(median('bytes')).toBeLessThanOrEqual(WEIGHT_BYTES));
  it(`makes at most ${SEQUENCE} requests in sequence`, () =>
    expect(median('inSequence')).toBeLessThanOrEqual(SEQUENCE));
});

/** Requests by id, with the bytes of all of them as they were transferred. */
async function watchRequests(session: CDPSession): Promise<Map<string, Timing> & { bytes: number }> {
  const timings = Object.assign(new Map<string, Timing>(), { bytes: 0 });
  session.on('Network.requestWillBeSent', ({ requestId, timestamp }) =>
    timings.set(requestId, { begin: timestamp, end: 0 }),
  );
  session.on('Network.loadingFinished', ({ requestId, timestamp, encodedDataLength }) => {
    const timing = timings.get(requestId);
    if (timing) timing.end = timestamp;
    timings.bytes += encodedDataLength;
  });
  await session.send('Network.enable');
  return timings;
}

function longestChain(timings: readonly Timing[]): number {
  const lengths = new Map<Timing, number>();
  for (const one of timings.toSorted((a, b) => a.begin - b.begin)) {
    const before = timings.filter(({ end }) => end <= one.begin).map((other) => lengths.get(other) ?? 0);
    lengths.set(one, 1 + Math.max(0, ...before));
  }
  return Math.max(0, ...lengths.values());
}
