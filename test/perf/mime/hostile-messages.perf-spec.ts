import { beforeAll, describe, expect, it } from 'vitest';
import { composeMessage, dkim, parseMailbox, prepareRelayed, readParts } from '#libs/mime';
import { readReport } from '../../../libs/mime/src/reports/read-report.js';
import { createPrivateKey } from 'node:crypto';
import { decodeEncodedWords } from '../../../libs/mime/src/parse/encoded-words.js';
import { findFiles } from '../../../libs/mime/src/parse/find-files.js';
import { normaliseLineEnds } from '../../../libs/mime/src/parse/line-ends.js';
import { readMessageHead } from '../../../libs/mime/src/parse/message-head.js';
import { decodeTransferEncoding } from '../../../libs/mime/src/parse/transfer-encoding.js';
import { cost } from '../../support/timing/cost.js';
import { filled, HOSTILE_MESSAGES, HOSTILE_REPORTS, REPORT_PARTS } from '../../support/samples/hostile-mail.js';

const SIZE = 10_000_000;
const QUOTED_LINE = `Gr=C3=BC=C3=9Fe aus K=C3=B6ln${' und der Umgebung'.repeat(2)}\r\n`;
const PLAIN_LINE = `${'Dear reader, '.repeat(6)}\n`;

// The unit tests show that these run in linear time; here ten times the price of an ordinary message is the most.
describe('10 MB of a hostile message', () => {
  let decoding: number;
  let reading: number;
  let report: number;
  let lines: number;
  beforeAll(async () => {
    const quoted = Buffer.from(QUOTED_LINE.repeat(SIZE / QUOTED_LINE.length));
    const head = Buffer.from('Content-Transfer-Encoding: quoted-printable\r\n\r\n');
    const words = 'The mail system could not bring your message to its reader.\r\n';
    decoding = await cost(() => decodeTransferEncoding(quoted, 'quoted-printable'));
    reading = await cost(() => readParts(Buffer.concat([head, quoted])));
    report = await cost(() => readReport(filled(`${REPORT_PARTS.REPORT}--b\r\n\r\n`, words)));
    lines = await cost(() => normaliseLineEnds(Buffer.alloc(SIZE, PLAIN_LINE)));
  });

  it.each(HOSTILE_MESSAGES)('of %s is read at the price of ordinary text', async (_what, head, piece) => {
    const hostile = filled(head, piece);
    expect(await cost(() => readParts(hostile))).toBeLessThan(10 * reading);
  });

  it.each(HOSTILE_MESSAGES)('of %s is searched for files at the price of decoding', async (_what, head, piece) => {
    const hostile = filled(head, piece);
    expect(await cost(() => findFiles(hostile))).toBeLessThan(10 * decoding);
  });

  it.each(HOSTILE_REPORTS)('of %s is read as a report at the price of ordinary reports', async (_what, head, piece) => {
    const hostile = filled(head, piece);
    expect(await cost(() => readReport(hostile), 2)).toBeLessThan(20 * report);
  });

  it.each(['.\r\n', '.\n', '\n', '\r\n', '.', 'a', '..\r\n'])('has its line ends repaired: %j', async (piece) => {
    const hostile = Buffer.alloc(SIZE, piece);
    expect(await cost(() => normaliseLineEnds(hostile))).toBeLessThan(10 * lines);
  });

  it.each(['A: b\r\n', ' x\r\n', 'a', ':', 'A:\r\n x\r\n'])('without a body has its head read: %j', async (piece) => {
    const hostile = Buffer.alloc(SIZE, piece);
    expect(await cost(() => readMessageHead(hostile))).toBeLessThan(10 * lines);
  });
});

describe('headers', () => {
  it('of 54 kB are read at the price of a long list of mailboxes', async () => {
    const options = { serviceDomain: 'postloft.test', messageId: () => 'new-1', date: () => new Date() };
    const prepare = (text: string) => prepareRelayed(Buffer.from(text), options);
    const folded = (piece: string) => Array.from({ length: 60 }, () => piece.repeat(900 / piece.length)).join('\r\n ');
    const body = '\r\nHello\r\n';
    const honest = `From: a@ex.com\r\nTo: ${folded('"Ada Lovelace" <ada@ex.org>, ')}b@ex.org\r\n${body}`;
    const ordinary = await cost(() => prepare(honest));
    for (const piece of ['(', '"', '<', ',', ':', ';', '\\', 'a@ex.org,', '=?a?q?', '"a" <a@ex.org>,'])
      for (const fields of ['From: a@ex.com\r\nTo', 'From', 'From: a@ex.com\r\nSubject']) {
        const hostile = `${fields}: ${folded(piece)}\r\n${body}`;
        expect(await cost(() => prepare(hostile)), `${fields}: ${piece}`).toBeLessThan(10 * ordinary);
      }
  });

  it('with a megabyte of hostile encoded words cost as much as ordinary ones', async () => {
    const megabyte = (piece: string) => piece.repeat(1_000_000 / piece.length);
    const honest = megabyte('=?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln_und_aus_der_ganzen_Umgebung?= ');
    const ordinary = await cost(() => decodeEncodedWords(honest));
    for (const piece of ['=?', '=?a?q?', '=?utf-8?q?a?= ', '=?utf-8?q?=41', '?=', '=?a?q?x', ' ', '=?a']) {
      const hostile = megabyte(piece);
      expect(await cost(() => decodeEncodedWords(hostile)), piece).toBeLessThan(10 * ordinary);
    }
  });

  it('with a megabyte of hostile text cost less than a megabyte of mailboxes', async () => {
    const ordinary = await cost(() => {
      for (let i = 0; i < 32_000; i += 1) parseMailbox('"Ada Lovelace" <ada@example.com>');
    });
    for (const piece of ['<', '"', '\\', '(', '@', ',', ' ', 'a.']) {
      const hostile = piece.repeat(1_000_000 / piece.length);
      expect(await cost(() => parseMailbox(hostile)), piece).toBeLessThan(ordinary);
    }
  });
});

describe('a message of 10 MB', () => {
  const parts = {
    messageId: 'm1@ex.com',
    date: new Date('2026-11-01T10:00:00Z'),
    from: { name: 'Acme', address: 'news@ex.com' },
    to: [{ name: '', address: 'b@ex.org' }],
    cc: [],
    replyTo: [],
    subject: 'Hello',
    headers: [],
    attachments: [],
    boundarySeed: 'em_1',
  };

  it('of short lines, or of a file, is composed at the price of ordinary text', async () => {
    const attachments = [{ filename: 'a.pdf', contentType: 'application/pdf', content: Buffer.alloc(SIZE, 7) }];
    const [honest, hostile] = [`${'Grüße, '.repeat(10)}\n`.repeat(109_000), 'ü\n'.repeat(3_300_000)];
    const ordinary = await cost(() => composeMessage({ ...parts, text: honest }));
    expect(await cost(() => composeMessage({ ...parts, text: hostile }), 1)).toBeLessThan(20 * ordinary);
    expect(await cost(() => composeMessage({ ...parts, attachments }), 1)).toBeLessThan(10 * ordinary);
  });

  it('of white space is signed at the price of ordinary lines', async () => {
    const { ed25519 } = await dkim.generateKeys();
    const key = {
      algorithm: 'ed25519-sha256' as const,
      domain: 'ex.com',
      selector: 's',
      privateKey: createPrivateKey(ed25519.privateKeyPem),
    };
    const message = (text: string) => Buffer.from(`From: a@ex.com\r\n\r\n${text.repeat(SIZE / text.length)}`);
    const honest = message(PLAIN_LINE.replace('\n', '\r\n'));
    const ordinary = await cost(() => dkim.sign(honest, [key], new Date()));
    for (const piece of [' \t', 'a ', ' \r\n', '\r\n', ' \ta\r\n', 'a  \r\n']) {
      const hostile = message(piece);
      expect(await cost(() => dkim.sign(hostile, [key], new Date())), piece).toBeLessThan(10 * ordinary);
    }
  });
});
