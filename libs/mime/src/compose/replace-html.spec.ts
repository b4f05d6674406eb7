import { describe, expect, it } from 'vitest';
import { readParts } from '../parse/read-parts.js';
import { quotedPrintable } from './encode-text.js';
import { replaceHtml } from './replace-html.js';

const HEAD = 'From: a@ex.com\r\nSubject: x\r\nMIME-Version: 1.0\r\n';
const LINK = '<a href="https://a.example/x">';
const NEW = '<a href="https://track.ex.com/t/c/abc">';
const replace = async (message: string | Buffer) =>
  (await replaceHtml(Buffer.from(message as string, 'latin1'), async (html) => html.replaceAll(LINK, NEW))).toString(
    'latin1',
  );
const html = (fields: string, body: string) => `${HEAD}Content-Type: text/html${fields}\r\n\r\n${body}`;

describe('replaceHtml', () => {
  it.each(['', '; charset=utf-8', '; charset="ISO-8859-1"\r\nContent-Transfer-Encoding: 8bit', '; charset=gb2312'])(
    'replaces text in plain octets, and nothing else: %s',
    async (fields) => {
      const body = `<p>\xfc ${LINK}\r\n.\r\n\x82\xa0`;
      expect(await replace(html(fields, body))).toBe(html(fields, body.replace(LINK, NEW)));
    },
  );

  it('keeps quoted-printable and base64', async () => {
    const text = `<p>Grüße = ${LINK}\r\n`;
    const quoted = await replace(
      html(
        '; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable',
        quotedPrintable(Buffer.from(text)).toString(),
      ),
    );
    expect(quoted).toContain('Content-Transfer-Encoding: quoted-printable\r\n');
    expect(readParts(Buffer.from(quoted)).html).toBe(text.replace(LINK, NEW));
    const base64 = await replace(
      html('; charset=utf-8\r\nContent-Transfer-Encoding: base64', `${Buffer.from(text).toString('base64')}\r\n`),
    );
    expect(readParts(Buffer.from(base64)).html).toBe(text.replace(LINK, NEW));
    expect(base64.endsWith('\r\n')).toBe(true);
  });

  it('encodes a text whose lines become too long', async () => {
    const body = `${'x'.repeat(980)}${LINK}\r\n`;
    const message = await replace(html('; charset=utf-8\r\nContent-Transfer-Encoding: 7bit', body));
    expect(message).not.toContain('7bit');
    for (const line of message.split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
    expect(readParts(Buffer.from(message)).html).toBe(body.replace(LINK, NEW));
  });

  it('replaces parts inside multiparts, and leaves the rest as it is', async () => {
    const message = [
      `${HEAD}Content-Type: multipart/mixed; boundary=o\r\n\r\npreamble\r\n--o`,
      'Content-Type: multipart/alternative; boundary="i"\r\n\r\n--i',
      `Content-Type: text/plain\r\n\r\n${LINK}\r\n--i`,
      `Content-Type: text/x-amp-html\r\n\r\n${LINK}\r\n--i`,
      `Content-Type: TEXT/HTML\r\n\r\n@${LINK}\r\n--i--`,
      '--o',
      `Content-Type: text/html\r\nContent-Disposition: attachment; filename=a.html\r\n\r\n${LINK}\r\n--o`,
      `Content-Type: message/rfc822\r\n\r\nContent-Type: text/html\r\n\r\n${LINK}\r\n--o--\r\nepilogue ${LINK}`,
    ].join('\r\n');
    expect(await replace(message)).toBe(message.replace(`@${LINK}`, `@${NEW}`));
  });

  it.each([
    [
      `${HEAD}Content-Type: multipart/signed; boundary=s\r\n\r\n--s\r\nContent-Type: text/html\r\n\r\n${LINK}\r\n--s--\r\n`,
    ],
    [`${HEAD}Content-Type: multipart/mixed\r\n\r\n--s\r\nContent-Type: text/html\r\n\r\n${LINK}\r\n--s--\r\n`],
    [html('; charset=iso-2022-jp', LINK)],
    [html('; charset=utf-16le', LINK)],
    [html('\r\nContent-Transfer-Encoding: x-uuencode', LINK)],
    [`${HEAD}Content-Type: text/plain\r\n\r\n${LINK}`],
    [`${HEAD}\r\n${LINK}`],
    [`no header ${LINK}`],
    [html('; charset=utf-8\r\nContent-Transfer-Encoding: base64', Buffer.from('<p>no link').toString('base64'))],
  ])('leaves %#', async (message) => {
    expect(await replace(message)).toBe(message);
  });
});
