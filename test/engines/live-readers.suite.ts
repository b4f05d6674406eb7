import { spawn, type ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { pythonWithPackages } from '../../tools/python.mjs';
import { TcpProxy } from '../support/proxies/tcp-proxy.js';
import { happen } from '../support/live/live-events.js';
import { openLiveFixture, type LiveFixture } from '../support/live/live-fixture.js';
import type { RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const PAGE = readFileSync(join(ROOT, 'docs/live.md'), 'utf8');

/** The code block of docs/live.md in this language that reads events. */
function example(language: 'js' | 'python'): string {
  const blocks = [...PAGE.matchAll(/```(\w+)\n([^`]*(?:`(?!``)[^`]*)*)```/g)];
  return blocks.find(([, name]) => name === language)?.[2] ?? '';
}

/** Has gql from PyPI; null where it cannot be installed. */
export const python = await pythonWithPackages().catch(() => null);

/** The settings of all programs for a broker, with topics of their own; none without a broker. */
export const kafkaSettings = (brokers: string | undefined): Record<string, string> =>
  brokers === undefined
    ? {}
    : { KAFKA_BROKERS: brokers, KAFKA_TOPIC_PREFIX: `live-${randomBytes(4).toString('hex')}.` };

interface Extent {
  /** Of the event log; the same for all programs. */
  settings: Record<string, string>;
  events: number;
  /** Disconnects of each reader. */
  cuts: number;
}

/** Stock clients, as docs/live.md shows them, that lose their connections to two gateways again and again. */
export function liveReadersSuite({ settings, events, cuts }: Extent): void {
  const children: ChildProcess[] = [];
  let fixture: LiveFixture;
  let gateways: RunningProgram[];
  let domainId: string;
  beforeAll(async () => {
    fixture = await openLiveFixture(settings);
    gateways = [await fixture.start('gateway'), await fixture.start('gateway')];
    [domainId] = await fixture.domains(gateways[0], 1);
  });
  afterAll(async () => {
    for (const child of children) child.kill();
    await fixture?.close();
  });

  /** The ids that the reader has printed. */
  function reader(language: 'js' | 'python', port: number, after: string): () => string[] {
    const file = join(ROOT, `.tools/live-reader.${language === 'js' ? 'mjs' : 'py'}`);
    mkdirSync(join(ROOT, '.tools'), { recursive: true });
    writeFileSync(file, example(language));
    const env = { GRAPHQL_URL: `ws://127.0.0.1:${port}/graphql`, API_KEY: gateways[0].key, AFTER: after };
    const child = spawn(language === 'js' ? process.execPath : (python as string), [file], {
      cwd: ROOT,
      env: { PATH: process.env['PATH'], ...env },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    let output = '';
    child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
    return () => output.split('\n').slice(0, -1);
  }

  it('receive every event once, from two gateways, through many forced disconnects', async () => {
    const add = (count: number) =>
      happen(
        fixture.database,
        Array.from({ length: count }, () => ({ accountId: fixture.accountId, domainId })),
      );
    const [first] = await add(1);
    await until(async () => (await gateways[0].call('GET', `/events/${first}`)).status === 200);
    const proxies = await Promise.all(gateways.map(({ url }) => TcpProxy.start(url)));
    const readers = [reader('js', proxies[0].port, first), reader('python', proxies[1].port, first)];
    const expected: string[] = [];
    let made = [0, 0];
    const perRound = Math.ceil(events / (cuts * 4));
    while (expected.length < events || made.some((count) => count < cuts)) {
      if (expected.length < events) expected.push(...(await add(perRound)));
      await pause(100);
      // Only readers that are connected count.
      made = proxies.map((proxy, i) => made[i] + (made[i] < cuts && proxy.cut() > 0 ? 1 : 0));
    }
    for (const read of readers) await until(async () => read().length >= expected.length, { what: 'all events' });
    await pause(500);
    for (const read of readers) expect(read()).toEqual(expected);
    await Promise.all(proxies.map((proxy) => proxy.close()));
  }, 900_000);

  it('the example in Python prints the counts of a domain on every change', async () => {
    const { name } = (await (await gateways[0].call('GET', `/domains/${domainId}`)).json()) as { name: string };
    const child = spawn(python as string, [join(ROOT, 'examples/graphql_live.py'), name], {
      env: { PATH: process.env['PATH'], POSTLOFT_URL: gateways[0].url, POSTLOFT_API_KEY: gateways[0].key },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    children.push(child);
    const lines: string[] = [];
    createInterface({ input: child.stdout }).on('line', (line) => lines.push(line));
    await until(async () => lines.length > 0, { what: 'the first counts' });
    expect(lines[0]).toMatch(new RegExp(`^${name}: accepted \\d+, delivered \\d+, deferred`));
    await happen(fixture.database, [{ accountId: fixture.accountId, domainId }]);
    await until(async () => lines.length > 1, { what: 'the change' });
    expect(lines[1]).not.toBe(lines[0]);
  });
}
