import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { stuffDots } from './dot-stuffing.js';

function groupsOf(content: Buffer[]): (readonly Buffer[])[] {
  const groups: (readonly Buffer[])[] = [];
  const turns = stuffDots(content);
  for (let turn = turns.next(); ; turn = turns.next()) {
    groups.push(turn.value);
    if (turn.done) return groups;
  }
}

const wire = (...pieces: string[]): string =>
  Buffer.concat(groupsOf(pieces.map((piece) => Buffer.from(piece, 'latin1'))).flat()).toString('latin1');

describe('the content after DATA', () => {
  it.each([
    ['a\r\n', 'a\r\n.\r\n'],
    ['', '.\r\n'],
    ['a', 'a\r\n.\r\n'],
    ['.', '..\r\n.\r\n'],
    ['.\r\n', '..\r\n.\r\n'],
    ['a\r\n.\r\n.b\r\n..\r\n', 'a\r\n..\r\n..b\r\n...\r\n.\r\n'],
    ['a.b\r\nc.\r\n', 'a.b\r\nc.\r\n.\r\n'],
    // A bare CR or LF does not end a line; composition has refused them (SMTP smuggling).
    ['a\n.b\r\n', 'a\n.b\r\n.\r\n'],
    ['a\r', 'a\r\r\n.\r\n'],
    ['a\n', 'a\n\r\n.\r\n'],
  ])('of %j', (text, expected) => {
    expect(wire(text)).toBe(expected);
  });

  it('is the same buffer if no line starts with a dot', () => {
    const content = Buffer.from('Subject: x\r\n\r\nno dots here.\r\n');
    expect(groupsOf([content])[0][0]).toBe(content);
  });

  it('is the same wherever the message is divided into pieces', () => {
    for (const text of ['a\r\n.\r\n.b\r\n..\r\n', '.', 'a\r\n', 'a\r', 'Subject: x\r\n\r\n.b\r\nc\r\n'])
      for (let at = 0; at <= text.length; at += 1)
        for (let to = at; to <= text.length; to += 1)
          expect(wire(text.slice(0, at), text.slice(at, to), text.slice(to))).toBe(wire(text));
  });

  it.each(['.\r\n', 'a\r\n.', '\r\n.\r\n', 'x'.repeat(70)])('of 700 kB of %j is written in groups', (line) => {
    for (let before = 0; before < 4; before += 1) {
      const text = `\r\n${'x'.repeat(before)}${line.repeat(700_000 / line.length)}\r\n`;
      const groups = groupsOf([Buffer.from('Subject: x'), Buffer.from(text)]);
      expect(groups.length).toBeGreaterThan(2);
      expect(Buffer.concat(groups.flat()).toString()).toBe(`Subject: x${text.replaceAll('\r\n.', '\r\n..')}.\r\n`);
    }
  });

  it('of 10 MB of dots is ready in linear time', () => {
    const hostile = Buffer.from('.\r\n'.repeat(3_300_000));
    const groups = mustReturn(() => groupsOf([hostile]));
    expect(Buffer.concat(groups.flat())).toHaveLength(13_200_000 + 3);
  });
});
