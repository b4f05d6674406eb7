import { isAscii } from 'node:buffer';
import { describe, expect, it } from 'vitest';
import { hasPython, readByPython } from '../../../test/support/read-by-python.js';
import { readParts } from './read-parts.js';
import { toSevenBit } from './to-seven-bit.js';

const HEAD = 'From: Shop <a@ex.com>\r\nTo: b@ex.net\r\nMIME-Version: 1.0\r\n';

function converted(text: string): Buffer {
  const message = toSevenBit(Buffer.from(text));
  if (message === null) throw new Error('not converted');
  expect(isAscii(message)).toBe(true);
  for (const line of message.toString().split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
  return message;
}

describe('a message in seven bits', () => {
  it('is the same buffer when it has no others', () => {
    const message = Buffer.from(`${HEAD}\r\nplain\r\n`);
    expect(toSevenBit(message)).toBe(message);
  });

  it('has its text as quoted-printable, which reads as before', () => {
    const text = `${'Grüße, 世界 = '.repeat(40)}\r\n.dot \r\nFrom here\r\n`;
    const message = converted(
      `${HEAD}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}`,
    );
    expect(message.toString()).toContain('Content-Transfer-Encoding: quoted-printable\r\n');
    expect(message.toString()).not.toContain('8bit');
    expect(readParts(message).text).toBe(text);
  });

  it('without MIME gets what its encoding needs', () => {
    const message = converted('From: a@ex.com\r\nSubject: x\r\n\r\nGrüße\r\n');
    expect(message.toString()).toMatch(/MIME-Version: 1\.0\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
    expect(readParts(message).text).toBe('Grüße\r\n');
  });

  it('has each part converted by itself, and the others as they were', () => {
    const body = [
      'préambule',
      '--outer',
      'Content-Type: multipart/alternative; boundary=inner',
      '',
      '--inner',
      'Content-Type: text/plain; charset=utf-8',
      'Content-Transfer-Encoding: 8bit',
      '',
      'Grüße',
      '--inner',
      'Content-Type: text/html; charset=utf-8',
      'Content-Transfer-Encoding: quoted-printable',
      '',
      '<b>Gr=C3=BC=C3=9Fe</b>',
      '--inner--',
      '--outer',
      'Content-Type: application/octet-stream; name=f.bin',
      'Content-Transfer-Encoding: 8bit',
      '',
      'bytes ÄÖÜ',
      '--outer--',
      'épilogue',
      '',
    ].join('\r\n');
    const message = converted(
      `${HEAD}Content-Type: multipart/mixed; boundary=outer\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${body}`,
    );
    const parts = readParts(message);
    expect(parts.text).toBe('Grüße');
    expect(parts.html).toBe('<b>Grüße</b>');
    expect(parts.attachments[0].content.toString().trimEnd()).toBe('bytes ÄÖÜ');
    expect(message.toString()).toContain('Content-Transfer-Encoding: 7bit\r\n');
    expect(message.toString()).toContain('<b>Gr=C3=BC=C3=9Fe</b>');
  });

  it('has an attached message converted inside', () => {
    const inner = `Subject: in\r\nMIME-Version: 1.0\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nGrüße\r\n`;
    const message = converted(`${HEAD}Content-Type: message/rfc822\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${inner}`);
    expect(message.toString()).toContain('\r\n\r\nSubject: in\r\n');
    expect(message.toString()).toContain('Gr=C3=BC=C3=9Fe');
  });

  it.skipIf(!hasPython())('has raw text in its headers as encoded words', () => {
    const message = converted(
      'From: Jürgen <a@ex.com>\r\nTo: "Größe, A" <b@ex.net>, c@ex.net\r\nSubject: Grüße\r\nX-Mine: é\r\n\r\nhi\r\n',
    );
    const [read] = readByPython([message]);
    expect(Object.fromEntries(read.headers)).toMatchObject({
      Subject: 'Grüße',
      'X-Mine': 'é',
      From: 'Jürgen <a@ex.com>',
    });
    expect(message.toString()).not.toContain('Content-Transfer-Encoding');
  });

  it.each([
    ['an address that is not ASCII', 'From: a@ex.com\r\nTo: jürgen@ex.net\r\n\r\nhi\r\n'],
    ['a field that a program reads', 'From: a@ex.com\r\nMessage-ID: <ü@ex.com>\r\n\r\nhi\r\n'],
    [
      'a part that was signed',
      `${HEAD}Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\nü\r\n--b\r\n\r\nsignature\r\n--b--\r\n`,
    ],
    ['an encoding that is not true', `${HEAD}Content-Transfer-Encoding: base64\r\n\r\nü\r\n`],
    ['a multipart without boundary', `${HEAD}Content-Type: multipart/mixed\r\n\r\nü\r\n`],
  ])('cannot be had of %s', (_, message) => {
    expect(toSevenBit(Buffer.from(message))).toBeNull();
  });

  it('takes time in proportion to the length', () => {
    const part = `--b\r\nContent-Type: text/plain\r\n\r\n${'ü--b '.repeat(2_000)}\r\n`;
    const message = Buffer.from(`${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(400)}--b--\r\n`);
    expect(isAscii(toSevenBit(message) ?? Buffer.from('ü'))).toBe(true);
  });
});
