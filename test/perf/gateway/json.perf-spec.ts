import { describe, expect, it } from 'vitest';
import { parseLargeJson, parseSmallJson } from '../../../apps/gateway/src/http/body/parse-json.js';
import { checkJsonLimits } from '../../../apps/gateway/src/http/body/json-limits.js';
import { cost } from '../../support/timing/cost.js';

const LIMITS = { depth: 32, perElement: 20_000, inAll: 120_000 };
const MEGABYTE = 1024 * 1024;
const fill = (piece: string) => Buffer.alloc(16 * MEGABYTE, piece);
const quoted = (piece: string) => Buffer.from(`"${piece.repeat((16 * MEGABYTE) / piece.length)}"`);
const scan = (body: Buffer) => () => {
  try {
    checkJsonLimits(body, LIMITS);
  } catch {
    // Refused, which is what is measured.
  }
};

describe('the scan of 16 MB of JSON', () => {
  it.each([['['], ['{},'], ['{"a":'], ['"",'], ['""'], ['0,'], ['[],'], [':'], ['1'], ['{"a":1,']])(
    'stops early in %s',
    async (piece) => {
      const [honest, hostile] = [quoted('abcd'), fill(piece)];
      expect(await cost(scan(hostile))).toBeLessThan(await cost(scan(honest)));
    },
  );

  it('of one string, of escapes and of blanks costs about the same', async () => {
    const honest = await cost(scan(quoted('abcd')));
    for (const body of [quoted('\\"'), quoted('\\n'), quoted('\\u00e9'), fill(' ')])
      expect(await cost(scan(body))).toBeLessThan(10 * honest);
  });
});

it('no turn of the event loop takes as long as parsing at once', async () => {
  const bytes = Buffer.from(`["${'é'.repeat(7 * MEGABYTE)}"]`);
  const atOnce = await cost(() => parseSmallJson(bytes, LIMITS));
  const turns: number[] = [];
  let last = performance.now();
  let running = true;
  const watch = () => {
    turns.push(performance.now() - last);
    last = performance.now();
    if (running) setImmediate(watch);
  };
  setImmediate(watch);
  await parseLargeJson(bytes, LIMITS);
  running = false;
  expect(turns.length).toBeGreaterThan(20);
  expect(turns.sort((a, b) => b - a)[2]).toBeLessThan(atOnce / 2);
});
