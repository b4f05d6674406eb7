import { describe, expect, it } from 'vitest';
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

  it('of 10 MB of dots is ready in less time than a reader would notice', () => {
    const begun = performance.now();
    const [body] = stuffDots(Buffer.from('.\r\n'.repeat(3_300_000)));
    expect(body).toHaveLength(13_200_000);
    expect(performance.now() - begun).toBeLessThan(1000);
  });
});
