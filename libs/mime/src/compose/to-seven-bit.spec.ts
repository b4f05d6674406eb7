import { isAscii } from 'node:buffer';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { hasPython, readByPython } from '../../../../test/support/judges/python.js';
import { decodeEncodedWords } from '../parse/encoded-words.js';
import { readMessageHead } from '../parse/message-head.js';
import { readParts } from '../parse/read-parts.js';
import { readStructuredValue } from '../parse/structured-value.js';
import { toSevenBit } from './to-seven-bit.js';

const HEAD = 'From: Shop <a@ex.com>\r\nTo: b@ex.net\r\nMIME-Version: 1.0\r\n';

function converted(text: string): Buffer {
  const message = toSevenBit(Buffer.from(text));
  if (message === null) throw new Error('not converted');
  expect(isAscii(message)).toBe(true);
  for (const line of message.toString().split('\r\n')) expect(line.length).toBeLessThanOrEqual(998);
  return message;
}

describe('toSevenBit', () => {
  it('returns a message in ASCII as the same buffer', () => {
    const message = Buffer.from(`${HEAD}\r\nplain\r\n`);
    expect(toSevenBit(message)).toBe(message);
  });

  it('encodes text as quoted-printable, which decodes to the same text', () => {
    const text = `${'Grüße, 世界 = '.repeat(40)}\r\n.dot \r\nFrom here\r\n`;
    const message = converted(
      `${HEAD}Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: 8bit\r\n\r\n${text}`,
    );
    expect(message.toString()).toContain('Content-Transfer-Encoding: quoted-printable\r\n');
    expect(message.toString()).not.toContain('8bit');
    expect(readParts(message).text).toBe(text);
  });

  it('adds MIME fields to a message without them', () => {
    const message = converted('From: a@ex.com\r\nSubject: x\r\n\r\nGrüße\r\n');
    expect(message.toString()).toMatch(/MIME-Version: 1\.0\r\nContent-Type: text\/plain; charset=utf-8\r\n/);
    expect(readParts(message).text).toBe('Grüße\r\n');
  });

  it('converts each part that needs it and leaves the others', () => {
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

  it('converts the parts of an attached message', () => {
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
    ['To: Verborgene Empfänger:;', 'To: {Verborgene Empfänger} :;'],
    [
      'To: Jürgen <a@ex.net>, root, "B,  J." <c@ex.net>,Ünal <b@localhost>',
      'To: {Jürgen} <a@ex.net>, root, "B,  J." <c@ex.net>, {Ünal} <b@localhost>',
    ],
    [
      'Cc: Größe "A, \\"B" (Küche (an) \\)) <"x> y"@localhost>;c@ex.net(é)',
      'Cc: {Größe A, "B} ({Küche} (an) \\)) <"x> y"@localhost>;c@ex.net({é})',
    ],
    ['Resent-Cc: Jürgen<j@[IPv6:2001:db8::1]>', 'Resent-Cc: {Jürgen} <j@[IPv6:2001:db8::1]>'],
    ['Resent-Reply-To: Jürgen@Büro <j@ex.net>', 'Resent-Reply-To: {Jürgen@Büro} <j@ex.net>'],
    ['Errors-To: j@BÜCHER.example', 'Errors-To: j@xn--bcher-kva.example'],
    ['Mail-Followup-To: Küche <k@bücher.example>', 'Mail-Followup-To: {Küche} <k@xn--bcher-kva.example>'],
    ['Return-Receipt-To: =?utf-8?q?Jo?= ü <j@ex.net>', 'Return-Receipt-To: {Jo ü} <j@ex.net>'],
    ['List-Id: Küche <k.ex.com>', 'List-Id: {Küche} <k.ex.com>'],
    ['List-Post: <mailto:k@ex.com> (für alle)', 'List-Post: <mailto:k@ex.com> ({für alle})'],
    ['Date: Sun, 1 Nov 2026 10:00:00 +0100 (März)', 'Date: Sun, 1 Nov 2026 10:00:00 +0100 ({März})'],
    ['In-Reply-To: Nachricht für A <1@ex.com>', 'In-Reply-To: {Nachricht für A} <1@ex.com>'],
    ['Received: from mx.ex.com (é [192.0.2.1]) by ex.net', 'Received: from mx.ex.com (?? [192.0.2.1]) by ex.net'],
    ['Content-Description: Küche', 'Content-Description: {Küche}'],
    ['Content-Location: Küche.html', 'Content-Location: {Küche.html}'],
    [
      'Content-Disposition: attachment (é); filename="K ü.pdf"; size=1',
      "Content-Disposition: attachment ({é}); filename*=utf-8''K%20%C3%BC.pdf; size=1",
    ],
    [
      'Content-Type: text/plain; charset="us-ascii"; name=Küche.txt;',
      `Content-Type: text/plain; charset="us-ascii"; name*=utf-8''K%C3%BCche.txt;`,
    ],
    [
      "Content-Disposition: inline; FileName=Kü.pdf; filename*=utf-8''K%C3%BC.pdf; größe=3; ü",
      "Content-Disposition: inline; filename*=utf-8''K%C3%BC.pdf",
    ],
    [
      'Content-Disposition: inline; filename*0=K; filename*1="ü; 1.pdf"',
      "Content-Disposition: inline; filename*=utf-8''K%C3%BC%3B%201.pdf",
    ],
    [
      `Content-Disposition: inline; filename=${'ü'.repeat(10)}`,
      `Content-Disposition: inline; filename*0*=utf-8''${'%C3%BC'.repeat(8)}; filename*1*=${'%C3%BC'.repeat(2)}`,
    ],
  ])('converts %s to %s', (given, expected) => {
    const message = converted(`From: a@ex.com\r\n${given}\r\n\r\nhi\r\n`).toString();
    const [, field] = message.replace(/\r\n(?=[ \t])/g, '').split('\r\n');
    expect(field.replace(/=\?UTF-8\?[^?]+\?[^?]+\?=/g, (word) => `{${decodeEncodedWords(word)}}`)).toBe(expected);
  });

  it('writes lines that every server accepts', () => {
    const names = `${'ü,'.repeat(400)}a@ex.net`;
    const word = 'x'.repeat(990);
    converted(`From: a@ex.com\r\nTo: ${names}\r\nCc:\r\n ${word} ü\r\nX-A:\r\n ${word} ü\r\n\r\nhi\r\n`);
    converted(
      `From: a@ex.com\r\nContent-Type: text/plain; ${'a=ü;'.repeat(200)} name=${'ü'.repeat(400)}\r\n\r\nhi\r\n`,
    );
  });

  it('converts random parameters to lines that decode to the same values', () => {
    const name = fc.constantFrom('name', 'Name*', 'name*0', 'name*1', 'name*0*', 'filename', 'a'.repeat(75));
    const value = fc.constantFrom(
      'ü',
      'a',
      '"ü; x"',
      '"\\"ü"',
      "utf-8''%C3%BC",
      "utf-8''%41ü",
      '=?utf-8?q?=C3=BC?=',
      '',
    );
    const parameter = fc.tuple(fc.constantFrom(';', '; ', ';\r\n ', ' ; '), name, fc.constantFrom('=', ' '), value);
    const read = (message: Buffer) => {
      const head = readMessageHead(message);
      return 'problem' in head ? head : readStructuredValue(head.fields[0].value);
    };
    fc.assert(
      fc.property(fc.array(parameter, { maxLength: 6 }), (all) => {
        const given = `Content-Disposition: inline${all.flat().join('')}\r\n\r\nhi\r\n`;
        expect(read(converted(given))).toEqual(read(Buffer.from(given)));
      }),
      { numRuns: 3_000, seed: 7 },
    );
  });

  it('declares UTF-8 only where the text is valid UTF-8', () => {
    const latin1 = toSevenBit(Buffer.from('From: a@ex.com\r\n\r\nGrüße\r\n', 'latin1'));
    expect(latin1?.toString('latin1')).toContain('Content-Type: text/plain; charset=unknown-8bit\r\n');
    expect(latin1?.toString('latin1')).toContain('\r\n\r\nGr=FC=DFe\r\n');
  });

  it('converts the parts of a digest as messages', () => {
    const message = converted(
      `${HEAD}Content-Type: multipart/digest; boundary=b\r\n\r\n--b\r\n\r\nSubject: Öl im Glas\r\n\r\nGrüße\r\n--b--\r\n`,
    ).toString();
    const [, part] = message.split('--b\r\n');
    expect(part).toBe(
      'Content-Transfer-Encoding: 7bit\r\n\r\nSubject: =?UTF-8?Q?=C3=96l_im_Glas?=\r\nMIME-Version: 1.0\r\n' +
        'Content-Type: text/plain; charset=utf-8\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\nGr=C3=BC=C3=9Fe\r\n--b--\r\n',
    );
  });

  it.each([
    ['an address that is not ASCII', 'From: a@ex.com\r\nTo: jürgen@ex.net\r\n\r\nhi\r\n'],
    ['an address in brackets that is not', 'From: a@ex.com\r\nTo: J <jürgen@ex.net>\r\n\r\nhi\r\n'],
    ['an address with a comment in it', 'From: a@ex.com\r\nTo: jürgen(J)@ex.net\r\n\r\nhi\r\n'],
    ['a boundary', `${HEAD}Content-Type: multipart/mixed; boundary=ü\r\n\r\n--ü\r\n\r\nx\r\n--ü--\r\n`],
    ['a field that a program reads', 'From: a@ex.com\r\nMessage-ID: <ü@ex.com>\r\n\r\nhi\r\n'],
    [
      'a part that was signed',
      `${HEAD}Content-Type: multipart/signed; boundary=b\r\n\r\n--b\r\n\r\nü\r\n--b\r\n\r\nsignature\r\n--b--\r\n`,
    ],
    ['an encoding that is not true', `${HEAD}Content-Transfer-Encoding: base64\r\n\r\nü\r\n`],
    ['a multipart without boundary', `${HEAD}Content-Type: multipart/mixed\r\n\r\nü\r\n`],
  ])('returns null for %s', (_, message) => {
    expect(toSevenBit(Buffer.from(message))).toBeNull();
  });

  it('takes linear time', () => {
    const part = `--b\r\nContent-Type: text/plain\r\n\r\n${'ü--b '.repeat(2_000)}\r\n`;
    const message = Buffer.from(`${HEAD}Content-Type: multipart/mixed; boundary=b\r\n\r\n${part.repeat(400)}--b--\r\n`);
    expect(isAscii(toSevenBit(message) ?? Buffer.from('ü'))).toBe(true);
    for (const stretch of ['(', '"', '[', '<"', '<', 'ü,', '\\', ' ', ';a="ü', '=?'])
      for (const name of ['To', 'Content-Type', 'Date'])
        toSevenBit(Buffer.from(`${name}: ${stretch.repeat(60_000 / Buffer.byteLength(stretch))}ü\r\n\r\nx\r\n`));
  });
});
