import { describe, expect, it } from 'vitest';
import { cost } from '../../../test/support/cost.js';
import { stuffDots } from './dot-stuffing.js';

function wire(text: string): string {
  return Buffer.concat(stuffDots(Buffer.from(text, 'latin1'))).toString('latin1');
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
    expect(stuffDots(content)[0]).toBe(content);
  });

  it('of 10 MB of dots is ready at the price of ordinary lines', async () => {
    const hostile = Buffer.from('.\r\n'.repeat(3_300_000));
    const honest = Buffer.alloc(9_900_000, `.${'Dear reader, '.repeat(6)}\r\n`);
    expect(stuffDots(hostile)[0]).toHaveLength(13_200_000);
    expect(await cost(() => stuffDots(hostile))).toBeLessThan(10 * (await cost(() => stuffDots(honest))));
  });
});
