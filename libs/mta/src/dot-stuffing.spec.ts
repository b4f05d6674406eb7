import { describe, expect, it } from 'vitest';
import { cost } from '../../../test/support/cost.js';
import { stuffDots } from './dot-stuffing.js';

function wire(...pieces: string[]): string {
  const [body, end] = stuffDots(pieces.map((piece) => Buffer.from(piece, 'latin1')));
  return Buffer.concat([...body, end]).toString('latin1');
}

describe('the content on the wire', () => {
  it.each([
    ['a\r\n', 'a\r\n.\r\n'],
    ['', '.\r\n'],
    ['a', 'a\r\n.\r\n'],
    ['.', '..\r\n.\r\n'],
    ['.\r\n', '..\r\n.\r\n'],
    ['a\r\n.\r\n.b\r\n..\r\n', 'a\r\n..\r\n..b\r\n...\r\n.\r\n'],
    ['a.b\r\nc.\r\n', 'a.b\r\nc.\r\n.\r\n'],
    // Bare line ends start no line for us; whoever composed the mail has refused them (smuggling).
    ['a\n.b\r\n', 'a\n.b\r\n.\r\n'],
    ['a\r', 'a\r\r\n.\r\n'],
    ['a\n', 'a\n\r\n.\r\n'],
  ])('%j', (text, expected) => {
    expect(wire(text)).toBe(expected);
  });

  it('is the same buffer when no line starts with a dot', () => {
    const content = Buffer.from('Subject: x\r\n\r\nno dots here.\r\n');
    expect(stuffDots([content])[0][0]).toBe(content);
  });

  it('is the same wherever the mail is cut into pieces', () => {
    for (const text of ['a\r\n.\r\n.b\r\n..\r\n', '.', 'a\r\n', 'a\r', 'Subject: x\r\n\r\n.b\r\nc\r\n'])
      for (let at = 0; at <= text.length; at += 1)
        for (let to = at; to <= text.length; to += 1)
          expect(wire(text.slice(0, at), text.slice(at, to), text.slice(to))).toBe(wire(text));
  });

  it('of 10 MB of dots is ready at the price of ordinary lines', async () => {
    const hostile = Buffer.from('.\r\n'.repeat(3_300_000));
    const honest = Buffer.alloc(9_900_000, `.${'Dear reader, '.repeat(6)}\r\n`);
    expect(stuffDots([hostile])[0][0]).toHaveLength(13_200_000);
    expect(await cost(() => stuffDots([hostile]))).toBeLessThan(10 * (await cost(() => stuffDots([honest]))));
  });
});
