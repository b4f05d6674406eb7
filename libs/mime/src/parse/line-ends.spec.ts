import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { normaliseLineEnds } from './line-ends.js';

function normalised(text: string): string | undefined {
  const result = normaliseLineEnds(Buffer.from(text, 'latin1'));
  return 'problem' in result ? undefined : result.message.toString('latin1');
}

describe('normaliseLineEnds', () => {
  it('returns a normalised message as the same buffer', () => {
    const raw = Buffer.from('Subject: x\r\n\r\n..\r\n.\r\nGr\xfc\xdfe\r\n', 'latin1');
    expect(normaliseLineEnds(raw)).toEqual({ message: raw });
    expect((normaliseLineEnds(raw) as { message: Buffer }).message).toBe(raw);
  });

  it.each([
    ['a\n', 'a\r\n'],
    ['\n', '\r\n'],
    ['\n\n\n', '\r\n\r\n\r\n'],
    ['a\r\n\nb\n\r\n', 'a\r\n\r\nb\r\n\r\n'],
    ['a', 'a\r\n'],
    ['a\nb', 'a\r\nb\r\n'],
    ['a\n.\nb\r\n', 'a\r\n.\r\nb\r\n'],
    ['', ''],
    ['\xff\x01\t\n', '\xff\x01\t\r\n'],
  ])('converts %j to %j', (given, wanted) => {
    expect(normalised(given)).toBe(wanted);
  });

  it.each([
    ['a bare CR', 'a\rb\r\n'],
    ['a CR before CRLF', 'a\r\r\n'],
    ['a final CR', 'a\r'],
    ['LF CR', 'a\n\rb'],
    ['a smuggling attempt', 'a\r\n.\r\r\nb\r\n'],
    ['a NUL', 'a\0b\r\n'],
    ['a line of 999 octets', `${'a'.repeat(999)}\r\n`],
    ['a line of 999 octets before a bare LF', `${'a'.repeat(999)}\n`],
    ['a line of 999 octets without end', `x\r\n${'a'.repeat(999)}`],
  ])('refuses %s', (_what, text) => {
    expect(normalised(text)).toBeUndefined();
  });

  it('accepts lines of 998 octets', () => {
    const line = 'a'.repeat(998);
    expect(normalised(`${line}\r\n${line}\n${line}`)).toBe(`${line}\r\n${line}\r\n${line}\r\n`);
  });

  it('returns CRLF line ends only, and its own result unchanged', () => {
    const text = fc.array(fc.constantFrom('a', '.', '\r', '\n', '\r\n', '\0', ' '), { maxLength: 30 });
    fc.assert(
      fc.property(text, (pieces) => {
        const given = pieces.join('');
        const result = normalised(given);
        const refused = given.includes('\0') || /\r(?!\n)/.test(given);
        expect(result === undefined).toBe(refused);
        if (result === undefined) return;
        expect(result).not.toMatch(/(?<!\r)\n|\r(?!\n)/);
        expect(result === '' || result.endsWith('\r\n')).toBe(true);
        expect(normalised(result)).toBe(result);
        expect(result.replaceAll('\r\n', '\n').replace(/\n$/, '')).toBe(
          given.replaceAll('\r\n', '\n').replace(/\n$/, ''),
        );
      }),
      { numRuns: 500 },
    );
  });

  it.each(['.\r\n', '.\n', '\n', '\r\n', '.', 'a', '..\r\n'])('reads 10 MB of %j in linear time', (piece) => {
    const hostile = Buffer.alloc(10_000_000, piece);
    expect(mustReturn(() => normaliseLineEnds(hostile))).toBeDefined();
  });

  it('gives the same result at every offset in memory', () => {
    const octets = [0x0a, 0x0d, 0x0a, 0x0d, 0x09, 0x0e, 0x61, 0x8d, 0xff];
    let seed = 1;
    const next = (below: number): number => (seed = (seed * 48_271) % 0x7fffffff) % below;
    for (let round = 0; round < 3_000; round += 1) {
      const from = next(4);
      const raw = Buffer.alloc(from + next(24))
        .fill(0x0d)
        .subarray(from);
      for (let at = 0; at < raw.length; at += 1) raw[at] = octets[next(octets.length)];
      const text = raw.toString('latin1');
      const isBare = /\r(?!\n)/.test(text);
      const expected = text.replace(/\r?\n/g, '\r\n') + (text === '' || text.endsWith('\n') ? '' : '\r\n');
      const result = normaliseLineEnds(raw);
      if (isBare) expect(result, JSON.stringify(text)).toHaveProperty('problem');
      else expect((result as { message: Buffer }).message.toString('latin1')).toBe(expected);
    }
  });
});
