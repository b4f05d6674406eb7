import { Agent, request } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { TrackingLinks } from '#libs/tracking';
import { processorTime, quantile } from '../../support/live/live-load.js';
import { mail } from '../../support/samples/mail.js';
import { startStandalone, type RunningProgram } from '../../support/services/program.js';
import { until } from '../../support/timing/until.js';

const MASTER_KEY = Buffer.alloc(32, 5);
const MESSAGES = 1_000;
const CONNECTIONS = 40;
/** 2,000 requests per second and core. */
const CPU_MICROSECONDS = 500;
const DURABLE_MS = 1_000;
const FIREFOX = 'Mozilla/5.0 (X11; Linux x86_64; rv:146.0) Gecko/20100101 Firefox/146.0';

/** In processor time of the service, so that the client beside it does not count. */
describe('requests for open pixels', () => {
  let program: RunningProgram;
  let pixels: string[];
  let next = 0;
  const agent = new Agent({ keepAlive: true, maxSockets: CONNECTIONS });

  beforeAll(async () => {
    program = await startStandalone({ MASTER_KEY: MASTER_KEY.toString('base64') });
    const ids: string[] = [];
    while (ids.length < MESSAGES) {
      const batch = Array.from({ length: 100 }, () => mail({ to: 'ada@example.com', tracking: { opens: true } }));
      const accepted = (await (await program.call('POST', '/emails/batch', batch)).json()) as { id: string }[];
      ids.push(...accepted.map(({ id }) => id));
    }
    const links = new TrackingLinks(MASTER_KEY);
    pixels = ids.map((emailId) => links.openUrl(program.url, { emailId, ordinal: 0 }));
    await load(4_000);
    await recordedAll(4_000);
  });
  afterAll(async () => {
    agent.destroy();
    await program?.stop();
    program?.clean();
  });

  /** Requests the next pixel; resolves with the milliseconds to the answer. */
  const visit = () =>
    new Promise<number>((resolve, reject) => {
      const begun = performance.now();
      request(pixels[next++ % pixels.length], { agent, headers: { 'user-agent': FIREFOX } }, (response) => {
        response.resume().once('end', () => {
          if (response.statusCode === 200) resolve(performance.now() - begun);
          else reject(new Error(`status ${response.statusCode}`));
        });
      })
        .on('error', reject)
        .end();
    });
  /** On all connections, as fast as they are answered. */
  async function load(count: number): Promise<void> {
    let left = count;
    const client = async () => {
      while (left-- > 0) await visit();
    };
    await Promise.all(Array.from({ length: CONNECTIONS }, client));
  }
  async function counted(outcome: string): Promise<number> {
    const text = await (await program.call('GET', '/metrics')).text();
    const line = new RegExp(`^postloft_tracking_visits_total\\{kind="open",outcome="${outcome}"\\} (\\d+)`, 'm');
    return Number(line.exec(text)?.[1] ?? 0);
  }
  const recordedAll = (count: number) => until(async () => (await counted('recorded')) === count, { withinMs: 60_000 });

  it('take less than half a millisecond of processor time, recording included', async () => {
    const before = await counted('recorded');
    const [cpu, begun, count] = [processorTime(program.pid), performance.now(), 20_000];
    await load(count);
    const [answered, seconds] = [processorTime(program.pid) - cpu, (performance.now() - begun) / 1_000];
    await recordedAll(before + count);
    const perRequest = (processorTime(program.pid) - cpu) / count;
    console.log(
      `${(answered / count).toFixed(0)} µs per request until the last answer, ${perRequest.toFixed(0)} µs until all were recorded; ` +
        `${(count / seconds).toFixed(0)} requests/s with the client on the same machine`,
    );
    expect(await counted('dropped')).toBe(0);
    expect(perRequest).toBeLessThan(CPU_MICROSECONDS);
  });

  it('are recorded within a second, and answered without waiting for it', async () => {
    const before = await counted('recorded');
    const [samples, times]: [{ at: number; answered: number; recorded: number }[], number[]] = [[], []];
    const end = performance.now() + 10_000;
    const visitor = async () => {
      while (performance.now() < end) {
        times.push(await visit());
        await sleep(20);
      }
    };
    const observer = async () => {
      while (performance.now() < end + DURABLE_MS) {
        const at = performance.now();
        const answered = times.length;
        samples.push({ at, answered, recorded: (await counted('recorded')) - before });
        await sleep(50);
      }
    };
    await Promise.all([observer(), ...Array.from({ length: 10 }, visitor)]);
    const delays = samples.map(({ at, answered }) => {
      const later = samples.find(({ recorded }) => recorded >= answered);
      return Math.max(0, (later?.at ?? Infinity) - at);
    });
    console.log(
      `${(times.length / 10).toFixed(0)} requests/s: answered after ${quantile(times, 0.5).toFixed(1)} ms (p50) and ${quantile(times, 0.99).toFixed(1)} ms (p99), ` +
        `recorded after ${quantile(delays.slice(0, -20), 0.5).toFixed(0)} ms (p50) and ${Math.max(...delays.slice(0, -20)).toFixed(0)} ms at most`,
    );
    expect(Math.max(...delays.slice(0, -20))).toBeLessThan(DURABLE_MS);
  });
});
