import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { HostileStage } from '../support/hostile-stage.js';

const MIB = 1024 * 1024;
const LIMIT = 10 * MIB;

/** S-20 to S-24 in small; `test/heavy/hostile-clients` has the full counts. */
describe('the relay and hostile clients', () => {
  let stage: HostileStage;
  beforeAll(async () => {
    stage = await HostileStage.open();
  });
  afterAll(async () => {
    await stage?.close();
  });
  const isWell = async () => {
    expect((await stage.program.call('GET', '/readyz')).status).toBe(200);
    const [reply] = await stage.attack<{ reply: string }[]>('bomb', { only: ['a small mail'] });
    expect(reply.reply).toMatch(/^250 2\.0\.0 queued as em_/);
  };

  it('survives resets in every phase', async () => {
    const cut = await stage.attack<Record<string, number>>('resets', { count: 50 });
    expect(Object.values(cut)).toEqual(Array(9).fill(50));
    expect(stage.program.output()).not.toMatch(/"level":[56]0/);
    await isWell();
  });

  it('survives lines of junk', async () => {
    const { lines } = await stage.attack<{ lines: number }>('fuzz', { lines: 5_000, seed: 20_261_121 });
    expect(lines).toBeGreaterThanOrEqual(5_000);
    expect(stage.program.output()).not.toMatch(/"level":[56]0/);
    await isWell();
  });

  it('ends a flood of commands', async () => {
    const last = await stage.attack<string[]>('flood', { count: 5 });
    expect(new Set(last)).toEqual(new Set(['421 4.7.0 Too many commands without a mail']));
  });

  it('refuses messages that are dear to read, and takes the honest ones', async () => {
    const results = await stage.attack<{ name: string; reply: string }[]>('bomb', {
      only: [
        'a mail of dots',
        '50,000 parts',
        'lines that look like a boundary',
        '2,000 levels',
        '100,000 headers',
        'a To of 1 MB',
        'a To of all that is allowed',
        '20,000 pieces of a file name',
        'pieces of file names in each part',
        'encoded words',
        'encoded words without end',
      ],
    });
    expect(Object.fromEntries(results.map(({ name, reply }) => [name, reply.slice(0, 9)]))).toEqual({
      'a mail of dots': '250 2.0.0',
      '50,000 parts': '554 5.6.0',
      'lines that look like a boundary': '554 5.6.0',
      '2,000 levels': '554 5.6.0',
      '100,000 headers': '554 5.6.0',
      'a To of 1 MB': '554 5.6.0',
      'a To of all that is allowed': '250 2.0.0',
      '20,000 pieces of a file name': '554 5.6.0',
      'pieces of file names in each part': '554 5.6.0',
      'encoded words': '250 2.0.0',
      'encoded words without end': '250 2.0.0',
    });
  });

  it('tells 552 and ends the connection when a message does not end, within seconds of its limit', async () => {
    const [endless] = await stage.attack<{ last: string; afterLimit: number }[]>('oversize', {
      count: 1,
      octets: 100_000 * MIB,
      limit: LIMIT,
    });
    expect(endless.last).toBe('552 5.3.4 The message is too large');
    expect(endless.afterLimit).toBeLessThan(10_000);
  });

  it('lets nobody guess more than five times a minute, beside each other or not, and others in', async () => {
    const replies = await stage.attack<string[]>('guess', { from: '127.0.0.66', count: 30, beside: 15 });
    expect(replies.filter((reply) => reply.startsWith('535 5.7.8'))).toHaveLength(5);
    expect(replies.filter((reply) => reply.startsWith('421 4.7.0')).length).toBe(replies.length - 5);
    await isWell();
  });

  it('answers 421 to connections beyond the share of an address', async () => {
    const { open, failed } = await stage.attack<{ open: number; failed: number }>('idle', {
      count: 120,
      from: '127.0.0.67',
    });
    expect({ open, failed }).toEqual({ open: 100, failed: 20 });
    await isWell();
  });

  it('keeps what it answered 250 when it is stopped in the middle of messages and of TLS handshakes', async () => {
    const sending = stage.attack<{ reply: string }[]>('mails', { count: 20, tag: 'stop', to: 'a@example.com' });
    const knocking = stage.attack<number>('handshakes');
    await new Promise((resolve) => setTimeout(resolve, 1_500));
    const began = performance.now();
    expect(await stage.program.stop()).toBe(0);
    expect(performance.now() - began).toBeLessThan(10_000);
    expect(await knocking).toBeGreaterThan(20);
    const ids = (await sending).flatMap(({ reply }) => /^250 2\.0\.0 queued as (em_\w+)/.exec(reply)?.[1] ?? []);
    expect(ids.length).toBeGreaterThan(0);
    const again = await stage.program.restart();
    try {
      const found = await Promise.all(ids.map(async (id) => (await again.call('GET', `/emails/${id}`)).status));
      expect(new Set(found)).toEqual(new Set([200]));
    } finally {
      await again.stop();
    }
  });
});
