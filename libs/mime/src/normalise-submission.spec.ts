import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cost } from '../../../test/support/cost.js';
import { normaliseSubmission } from './normalise-submission.js';

function normalised(text: string): string | undefined {
  const result = normaliseSubmission(Buffer.from(text, 'latin1'));
  return 'problem' in result ? undefined : result.message.toString('latin1');
}

describe('normaliseSubmission', () => {
  it('gives a message that is in order back as the same buffer', () => {
    const raw = Buffer.from('Subject: x\r\n\r\n..\r\n.\r\nGr\xfc\xdfe\r\n', 'latin1');
    expect(normaliseSubmission(raw)).toEqual({ message: raw });
    expect((normaliseSubmission(raw) as { message: Buffer }).message).toBe(raw);
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
  ])('makes %j into %j', (given, wanted) => {
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

  it('takes lines of 998 octets', () => {
    const line = 'a'.repeat(998);
    expect(normalised(`${line}\r\n${line}\n${line}`)).toBe(`${line}\r\n${line}\r\n${line}\r\n`);
  });

  it('gives CRLF line ends alone, and the same again for its own result', () => {
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

  it.each(['.\r\n', '.\n', '\n', '\r\n', '.', 'a', '..\r\n'])(
    'reads 10 MB of %j at the price of ordinary lines',
    async (piece) => {
      const [hostile, honest] = [piece, `${'Dear reader, '.repeat(6)}\n`].map((text) => Buffer.alloc(10_000_000, text));
      const ordinary = await cost(() => normaliseSubmission(honest));
      expect(await cost(() => normaliseSubmission(hostile))).toBeLessThan(10 * ordinary);
    },
  );

  it('judges octet by octet, wherever in memory the message lies', () => {
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
      const result = normaliseSubmission(raw);
      if (isBare) expect(result, JSON.stringify(text)).toHaveProperty('problem');
      else expect((result as { message: Buffer }).message.toString('latin1')).toBe(expected);
    }
  });
});
