import { Refusal } from '#libs/contracts';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { countTurns } from '../../../../../test/support/timing/count-turns.js';
import { parseLargeJson, parseSmallJson, SLICE_BYTES } from './parse-json.js';

const LIMITS = { depth: 32, perElement: 20_000, inAll: 120_000 };
const MEGABYTE = 1024 * 1024;

type Outcome = { value: unknown } | { refused: string };
const outcomeOf = async (parse: () => unknown): Promise<Outcome> => {
  try {
    return { value: await parse() };
  } catch (error) {
    return { refused: (error as Refusal).code };
  }
};
const small = (body: string) => outcomeOf(() => parseSmallJson(Buffer.from(body), LIMITS));
const large = (body: string) => outcomeOf(() => parseLargeJson(Buffer.from(body), LIMITS));
/** The text before the body, so that the end of the first slice falls into the body. */
const padded = (body: string) => `{"first":"${'x'.repeat(SLICE_BYTES - 40)}","second":${body}}`;

describe('parseLargeJson', () => {
  it('returns the same as JSON.parse, wherever a slice ends', async () => {
    const json = fc
      .json({ maxDepth: 4, stringUnit: 'binary' })
      .filter((body) => !/\\u0000|\\ud[89a-f]|__proto__/i.test(body));
    await fc.assert(
      fc.asyncProperty(json, fc.nat(120), async (body, shift) => {
        const whole = padded(`${' '.repeat(shift)}${body}`);
        expect(await large(whole)).toEqual(await small(whole));
      }),
      { numRuns: 200 },
    );
  });

  it('refuses the same bodies as JSON.parse, with one character lost or changed at any position', async () => {
    const body = '[{"a b":"é😀\\u00e9\\n","c":[1,-2.5e3,true,null,{}]},"\\ud83d\\ude00",[],{"d":""}]';
    for (let at = 0; at < body.length; at += 1)
      for (const put of ['', ',', ':', '"', ']', '}', 'x', '\\', '\n', '0']) {
        const broken = padded(body.slice(0, at) + put + body.slice(at + 1));
        expect(await large(broken), broken.slice(-100)).toEqual(await small(broken));
      }
  });

  it.each([
    ['letters', 'abcd'],
    ['two-byte letters', 'é'],
    ['four-byte letters', '😀'],
    ['letters of every size', 'aé€😀'],
    ['escapes', '\\u00e9\\n'],
    ['escaped pairs', '\\ud83d\\ude00x'],
    ['blanks', ' '],
  ])('joins a string of several slices: %s', async (_what, piece) => {
    const text = piece.repeat((3 * SLICE_BYTES) / piece.length);
    const body = `[{"html":"${text}","text":"short"},"${text}"]`;
    expect(await large(body)).toEqual({ value: JSON.parse(body) as unknown });
  });

  it('does not extract long keys and long white space', async () => {
    const blanks = ' \n'.repeat(SLICE_BYTES);
    const body = `${blanks}[${blanks}{"${' '.repeat(256)}"${blanks}:1,"${' '.repeat(255)}":2}${blanks}]${blanks}`;
    expect(await large(body)).toEqual({ value: JSON.parse(body) as unknown });
    expect(await large(`${blanks}1${blanks}2`)).toEqual({ refused: 'malformed_json' });
  });

  it('returns attachment content of 4 MB, written as numbers, as base64, and yields after every slice', async () => {
    const content = Buffer.alloc(4 * MEGABYTE, 'any bytes \xff\x00');
    const body = Buffer.from(JSON.stringify({ attachments: [{ filename: 'a', content: [...content] }], to: 'x' }));
    const counter = countTurns();
    const parsed = (await parseLargeJson(body, { ...LIMITS, byteArrays: true })) as {
      attachments: { content: string }[];
    };
    counter.running = false;
    expect(parsed).toMatchObject({ attachments: [{ filename: 'a' }], to: 'x' });
    expect(Buffer.from(parsed.attachments[0].content, 'base64').equals(content)).toBe(true);
    expect(counter.turn).toBeGreaterThanOrEqual(Math.floor(body.length / SLICE_BYTES));
  });

  it('yields to the event loop after every slice', async () => {
    const bytes = Buffer.from(`["${'é'.repeat(7 * MEGABYTE)}"]`);
    const counter = countTurns();
    await parseLargeJson(bytes, LIMITS);
    counter.running = false;
    expect(counter.turn).toBeGreaterThanOrEqual(Math.floor(bytes.length / SLICE_BYTES));
  });
});
