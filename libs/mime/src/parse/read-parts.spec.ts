import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filled, HOSTILE_MESSAGES } from '../../../../test/support/samples/hostile-mail.js';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { composeMessage } from '../compose/compose-message.js';
import type { MessageParts } from '../compose/message-parts.js';
import { readParts } from './read-parts.js';

function read(lines: string[], encoding: BufferEncoding = 'utf8') {
  return readParts(Buffer.from(lines.join('\r\n'), encoding));
}

const PARTS: MessageParts = {
  messageId: 'm1@ex.com',
  date: new Date('2026-11-01T10:00:00Z'),
  from: { name: '', address: 'news@ex.com' },
  to: [{ name: '', address: 'b@ex.org' }],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  headers: [],
  attachments: [],
  boundarySeed: 'em_1',
};

describe('readParts', () => {
  it('reads the messages of the composer', async () => {
    const text = 'Grüße\r\nFrom here = there \r\n.\r\n';
    const html = `<p>${'長い行 '.repeat(60)}</p>\r\n`;
    const names = ['Größe "x" 山.pdf', `${'長'.repeat(60)}.pdf`, "it's; (1)=.pdf", '=?utf-8?q?x?=.pdf'];
    const attachments = names.map((filename, index) => ({
      filename,
      contentType: 'application/pdf',
      content: Buffer.alloc(300, index),
      ...(index === 0 ? { contentId: 'cid1' } : {}),
    }));
    const whole = readParts(await composeMessage({ ...PARTS, text, html, attachments }));
    expect(whole).toMatchObject({ text, html, truncated: false });
    expect(whole.attachments).toEqual(
      attachments.map((file) => ({ ...file, attached: true, size: 300, content: file.content })),
    );
    expect(readParts(await composeMessage({ ...PARTS, text }))).toEqual({ text, attachments: [], truncated: false });
    expect(readParts(await composeMessage({ ...PARTS, html }))).toEqual({ html, attachments: [], truncated: false });
  });

  it('reads a message without MIME headers as text', () => {
    expect(read(['Subject: x', '', 'Hello', ''])).toEqual({ text: 'Hello\r\n', attachments: [], truncated: false });
  });

  it.each([
    ['iso-8859-1', 'Gr\xfc\xdfe', 'Grüße'],
    ['"ISO-8859-15"', '\xa4', '€'],
    ['windows-1252', '\x80', '€'],
    ['koi8-r', '\xf0\xf2', 'ПР'],
    ['utf-8', '\xc3\xbc', 'ü'],
    ['us-ascii', '\xfc', 'ü'],
    ['no-such', '\xfc', 'ü'],
  ])('reads 8-bit text in %s', (charset, bytes, wanted) => {
    expect(read([`Content-Type: text/plain; charset=${charset}`, '', bytes], 'latin1').text).toBe(wanted);
  });

  it('reads quoted-printable and base64 with the faults of real senders', () => {
    const part = (encoding: string, body: string) => read([`Content-Transfer-Encoding: ${encoding}`, '', body]).text;
    expect(part('Quoted-Printable', 'a=3db=\r\nc=\nd=ZZ=4')).toBe('a=bcd=ZZ=4');
    expect(part(' base64 ', 'SGVs\r\nbG8=\r\n')).toBe('Hello');
    expect(part('base64', '!!!!')).toBe('');
    expect(part('x-unknown', 'as it is')).toBe('as it is');
  });

  it('finds names in all encodings', () => {
    const spelling = (field: string) => read([field, '', 'x']).attachments[0]?.filename;
    expect(spelling('Content-Disposition: attachment; filename=a.txt')).toBe('a.txt');
    expect(spelling('Content-Disposition: inline; filename="a \\"b\\"; c.txt"')).toBe('a "b"; c.txt');
    expect(spelling("Content-Disposition: inline; filename*=utf-8'en'%e2%82%ac.txt")).toBe('€.txt');
    expect(
      spelling('Content-Disposition: inline; FileName*0*=utf-8\'\'%e2%82; filename*1*=%ac; filename*2=".txt"'),
    ).toBe('€.txt');
    expect(spelling('Content-Disposition: inline; filename*1=b.txt; filename*0=a')).toBe('ab.txt');
    expect(spelling("Content-Disposition: inline; filename=plain.txt; filename*=utf-8''rich.txt")).toBe('rich.txt');
    expect(spelling('Content-Type: text/plain; name="=?utf-8?B?4oKs?=.txt"')).toBe('€.txt');
    expect(spelling('Content-Type: text/plain;\r\n\tname="folded.txt"')).toBe('folded.txt');
    expect(spelling('Content-Disposition: attachment')).toBe('');
    expect(spelling('Content-Disposition: attachment; filename=""\r\nContent-Type: text/plain; name=b.exe')).toBe(
      'b.exe',
    );
    expect(spelling('nonsense\r\nContent-Disposition: attachment; filename=hidden.exe')).toBe('hidden.exe');
  });

  it('lists further texts and unknown parts as attachments', () => {
    const result = read([
      'Content-Type: multipart/mixed; boundary="b b"',
      '',
      'preamble',
      '--b b',
      '',
      'first',
      '--b b  ',
      'Content-Type: text/plain',
      '',
      'second',
      '',
      '--b b',
      'Content-Type: message/rfc822',
      'Content-ID: <c@d>',
      '',
      'Subject: inner',
      '--b bx is no delimiter',
      ' --b b',
      '--b b--',
      'epilogue',
      '--b b',
      '',
      'not read',
    ]);
    expect(result.text).toBe('first');
    expect(
      result.attachments.map(({ contentType, size, content, contentId }) => [
        contentType,
        size,
        content.toString(),
        contentId,
      ]),
    ).toEqual([
      ['text/plain', 8, 'second\r\n', undefined],
      ['message/rfc822', 46, 'Subject: inner\r\n--b bx is no delimiter\r\n --b b', 'c@d'],
    ]);
  });

  it('reads a multipart without closing line, and bare line feeds', () => {
    const message = 'Content-Type: multipart/mixed; boundary=b\n\n--b\n\none\n--b\nContent-Type: text/html\n\ntwo';
    expect(readParts(Buffer.from(message))).toEqual({ text: 'one', html: 'two', attachments: [], truncated: false });
  });

  it('stops at 200 parts', () => {
    const result = read([
      'Content-Type: multipart/mixed; boundary=b',
      '',
      ...Array<string>(50_000).fill('--b\r\n\r\nx'),
      '--b--',
    ]);
    expect(result.truncated).toBe(true);
    expect(result.attachments.length).toBeLessThanOrEqual(200);
  });

  it('stops at depth 20', () => {
    const nested = (depth: number) =>
      Array.from({ length: depth }, (_, level) => [
        `Content-Type: multipart/mixed; boundary=b${level}e`,
        '',
        `--b${level}e`,
      ]).flat();
    expect(read([...nested(20), '', 'deep']).text).toBe('deep');
    expect(read([...nested(21), '', 'deep'])).toEqual({ attachments: [], truncated: true });
    expect(read([...nested(2_000), '', 'deep']).truncated).toBe(true);
  });

  it('never throws, and reads random octets quickly', () => {
    const token = fc.constantFrom(
      '--b',
      '--b--',
      '\r\n',
      '\n',
      'Content-Type: multipart/mixed; boundary=b',
      'Content-Type: text/html; charset=x',
      'Content-Disposition: attachment; filename*0*=',
      'Content-Transfer-Encoding: base64',
      '=',
      '"',
      ';',
      ':',
      ' ',
      '\0',
      '\xff',
      "utf-8'",
      '%zz',
    );
    fc.assert(
      fc.property(fc.array(token, { maxLength: 40 }), (tokens) => {
        const message = `Content-Type: multipart/mixed; boundary=b\r\n\r\n${tokens.join('')}`;
        const result = readParts(Buffer.from(message, 'latin1'));
        expect(result.attachments.every(({ size, content }) => size === content.length)).toBe(true);
      }),
      { numRuns: 300 },
    );
  });

  it.each(HOSTILE_MESSAGES)('reads 10 MB of %s in linear time', (_what, head, piece) => {
    expect(mustReturn(() => readParts(filled(head, piece)))).toBeDefined();
  });
});
