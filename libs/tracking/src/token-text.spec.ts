import { describe, expect, it } from 'vitest';
import { readTokenText } from './token-text.js';

const TOKEN = 'AZ_az-09_x-Y';
const encoded = (text: string, hex = (code: string) => code) =>
  [...text].map((one) => `%${hex(one.charCodeAt(0).toString(16))}`).join('');

describe('readTokenText', () => {
  it.each([
    TOKEN,
    TOKEN.replaceAll('-', '%2D'),
    TOKEN.replaceAll('-', '%2d').replaceAll('_', '%5F'),
    encoded(TOKEN),
    encoded(TOKEN, (code) => code.toUpperCase()),
    TOKEN.replaceAll('-', '%252D'),
    TOKEN.replaceAll('-', '%25252d'),
  ])('decodes %s', (written) => {
    expect(readTokenText(written)).toBe(TOKEN);
  });

  it.each([
    ...[
      '=',
      '==',
      '%3D',
      '.',
      ',',
      ';',
      ':',
      '!',
      ')',
      ']',
      '}',
      '>',
      '"',
      "'",
      '*',
      '%22%3E',
      '%29.',
      '%20',
      '%0D%0A',
    ],
    ...['&gt;', '&quot;&gt;', '.&gt', '&#39;)', '%26gt%3B', '&nbsp;'],
    ...['%C2%A0', '%E2%80%9D', '%E2%80%8B', '%E2%80%A6'],
  ])('removes %s at the end', (piece) => {
    expect(readTokenText(TOKEN + piece)).toBe(TOKEN);
  });

  it.each(['/', '%2F', '\\', '@', '%40', '%00', '&a=b', '#', 'A', '%E9', '%', '%2', '%0D%0ALocation:'])(
    'does not remove %s at the end',
    (piece) => {
      expect(readTokenText(TOKEN + piece)).not.toBe(TOKEN);
    },
  );

  it('removes nothing in front of a token or within it', () => {
    for (const piece of ['=', '.', '%20', '%3D']) {
      expect(readTokenText(piece + TOKEN)).not.toBe(TOKEN);
      expect(readTokenText(TOKEN.slice(0, 4) + piece + TOKEN.slice(4))).not.toBe(TOKEN);
    }
  });
});
