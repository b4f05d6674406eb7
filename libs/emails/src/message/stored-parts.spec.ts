import { describe, expect, it } from 'vitest';
import { decodeParts, encodeParts, storedMailbox } from './stored-parts.js';
import type { PartsContent } from './submitted-content.js';

const every: PartsContent = {
  format: 'parts',
  html: '<p>é😀</p>',
  text: '',
  headers: [['X-A', 'ä']],
  attachments: [
    { filename: 'ü.txt', contentType: 'text/plain', content: Buffer.from('{"not":"the head"}') },
    { filename: 'b.bin', contentType: 'image/png', contentId: 'logo', content: Buffer.from([0, 1, 255]) },
  ],
};

describe('stored parts', () => {
  it('are decoded unchanged', () => {
    expect(decodeParts(encodeParts(every))).toEqual(every);
    const least: PartsContent = { format: 'parts', text: 'a', headers: [], attachments: [] };
    expect(decodeParts(encodeParts(least))).toEqual(least);
  });

  it('are decoded from the first format too', () => {
    const files = every.attachments.map((file) => ({ ...file, content: file.content.toString('base64') }));
    const row = { html: every.html, text: every.text, headers: every.headers, attachments: files };
    expect(decodeParts(Buffer.from(JSON.stringify(row)))).toEqual(every);
  });

  it('take little more space than their content', () => {
    const content = Buffer.alloc(1_000_000, 255);
    const parts = { ...every, attachments: [{ filename: 'a.txt', contentType: 'text/plain', content }] };
    expect(encodeParts(parts).length).toBeLessThan(content.length + 200);
  });
});

describe('a stored mailbox', () => {
  it.each([
    ['a@example.com', '', 'a@example.com'],
    ['"a b"@example.com', '', '"a b"@example.com'],
    ['"a<b>"@example.com', '', '"a<b>"@example.com'],
    ['Ada <a@example.com>', 'Ada', 'a@example.com'],
    ['Ada <"a<b"@example.com>', 'Ada', '"a<b"@example.com'],
    ['Ada <"a\\"<b"@example.com>', 'Ada', '"a\\"<b"@example.com'],
    ['x <"y <"a b"@example.com>', 'x <"y', '"a b"@example.com'],
    ['<b@c> "x" <a@example.com>', '<b@c> "x"', 'a@example.com'],
  ])('%s has the name %j and the address %j', (stored, name, address) => {
    expect(storedMailbox(stored)).toEqual({ name, address });
  });
});
