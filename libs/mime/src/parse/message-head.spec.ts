import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { readMessageHead } from './message-head.js';

function head(text: string, encoding: BufferEncoding = 'utf8') {
  return readMessageHead(Buffer.from(text, encoding));
}

describe('readMessageHead', () => {
  it('returns names, unfolded values and offsets', () => {
    const text = 'Subject:  a\r\n\tb\r\n c \r\nX-Y:z\r\n\r\nbody: x\r\n';
    expect(head(text)).toEqual({
      fields: [
        { name: 'Subject', key: 'subject', value: 'a\tb c', start: 0, end: 22 },
        { name: 'X-Y', key: 'x-y', value: 'z', start: 22, end: 29 },
      ],
      bodyOffset: 31,
    });
    expect(text.slice(31)).toBe('body: x\r\n');
  });

  it('accepts a message without a body, without headers, and an empty one', () => {
    expect(head('A: b\r\n')).toEqual({
      fields: [{ name: 'A', key: 'a', value: 'b', start: 0, end: 6 }],
      bodyOffset: 6,
    });
    expect(head('\r\nbody\r\n')).toEqual({ fields: [], bodyOffset: 2 });
    expect(head('')).toEqual({ fields: [], bodyOffset: 0 });
  });

  it('accepts an empty value and a colon in a value', () => {
    expect(head('A:\r\nB: c:d\r\n\r\n')).toMatchObject({ fields: [{ value: '' }, { value: 'c:d' }] });
  });

  it('reads values as UTF-8 where valid, else as Latin-1', () => {
    expect(head('A: ü\r\n\r\n')).toMatchObject({ fields: [{ value: 'ü' }] });
    expect(head('A: \xfc\r\n\r\n', 'latin1')).toMatchObject({ fields: [{ value: 'ü' }] });
  });

  it.each([
    ['a line without colon', 'A: b\r\nnothing\r\n\r\n'],
    ['a space before the colon', 'From : a@ex.com\r\n\r\n'],
    ['a tab before the colon', 'From\t: a@ex.com\r\n\r\n'],
    ['an empty name', ': x\r\n\r\n'],
    ['a continuation at the start', ' a: b\r\n\r\n'],
    ['a continuation of white space alone', 'A: b\r\n \t\r\nFrom: e@v.example\r\n\r\n'],
    ['an mbox line', 'From a@ex.com Sat Jan 1\r\nA: b\r\n\r\n'],
    ['a name in UTF-8', 'Fröm: x\r\n\r\n'],
    ['a control in the name', 'A\x01: x\r\n\r\n'],
    ['a name over a line end', 'From\r\n : a@ex.com\r\n\r\n'],
  ])('refuses %s', (_what, text) => {
    expect(head(text)).toHaveProperty('problem');
  });

  it('refuses more than 1,000 headers, and accepts 1,000', () => {
    expect(head(`${'A: b\r\n'.repeat(1_000)}\r\n`)).toHaveProperty('fields');
    expect(head(`${'A: b\r\n'.repeat(1_001)}\r\n`)).toHaveProperty('problem');
  });

  it('refuses more than 64 kB of headers, folded or not', () => {
    expect(head(`A: ${'b\r\n '.repeat(20_000)}c\r\n\r\n`)).toHaveProperty('problem');
    expect(head(`A: ${'b'.repeat(70_000)}\r\n\r\n`)).toHaveProperty('problem');
    expect(head(`A: ${'b'.repeat(60_000)}\r\n\r\n`)).toHaveProperty('fields');
  });

  it.each(['A: b\r\n', ' x\r\n', 'a', ':', 'A:\r\n x\r\n'])(
    'reads 10 MB of %j without a body in linear time',
    (piece) => {
      const hostile = Buffer.alloc(10_000_000, piece);
      expect(mustReturn(() => readMessageHead(hostile))).toBeDefined();
    },
  );
});
