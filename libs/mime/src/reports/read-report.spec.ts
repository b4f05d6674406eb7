import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { cost } from '../../../../test/support/cost.js';
import { readReport } from './read-report.js';

const SIZE = 10_000_000;
const HEAD = 'From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered Mail Returned to Sender\r\n';
const REPORT = `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n`;
const STATUS = '--b\r\nContent-Type: message/delivery-status\r\n\r\n';
const PROSE = `${HEAD}\r\nYour message could not be delivered.\r\n\r\n`;

const read = (text: string) => readReport(Buffer.from(text, 'latin1'));
const filled = (start: string, piece: string, size = SIZE) =>
  Buffer.from(start + piece.repeat(Math.ceil(size / piece.length)), 'latin1');

const measure = () => {
  const honest = filled(`${REPORT}--b\r\n\r\n`, 'The mail system could not bring your message to its reader.\r\n');
  return cost(() => readReport(honest));
};
let measured: Promise<number> | undefined;
const ordinaryCost = () => {
  measured ??= measure();
  return measured;
};

describe('readReport', () => {
  it('finds the status behind a report of 10 MB of words', () => {
    const words = '--b\r\nContent-Type: text/plain\r\n\r\n' + 'The message did not arrive.\r\n'.repeat(350_000);
    const fields = `${STATUS}Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n`;
    expect(read(REPORT + words + fields)).toMatchObject({
      kind: 'delivery',
      recipients: [{ action: 'failed', finalRecipient: 'a@b.example', status: '5.1.1' }],
    });
  });

  it('gives up on 50,000 parts and on 2,000 levels, without a word about anybody', () => {
    expect(read(REPORT + '--b\r\n\r\nx\r\n'.repeat(50_000)).kind).not.toBe('feedback');
    const levels = Array.from(
      { length: 2_000 },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}e\r\n\r\n--b${level}e\r\n`,
    );
    expect(read(levels.join('') + STATUS)).toEqual({ kind: 'unknown' });
  });

  it('reads a head without end, and one of 3,000 fields', () => {
    expect(readReport(filled('', 'X-Field: word\r\n'))).toEqual({ kind: 'unknown' });
    expect(readReport(filled('Subject: ', 'word '))).toEqual({ kind: 'unknown' });
    const many = 'X-Spam: word\r\n'.repeat(1_500);
    const report = REPORT.replace('\r\n\r\n', `\r\n${many}\r\n`);
    expect(read(`${report}${STATUS}Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n`).kind).toBe('delivery');
  });

  it('tells of 500 recipients at most', () => {
    const group = (i: number) => `Final-Recipient: rfc822; a${i}@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`;
    const report = read(REPORT + STATUS + Array.from({ length: 2_000 }, (_, i) => group(i)).join(''));
    expect(report).toMatchObject({ kind: 'delivery' });
    expect(report.kind === 'delivery' && report.recipients.length).toBe(500);
  });

  it('never throws, and answers the same twice', () => {
    const token = fc.constantFrom(
      ...[
        '--b',
        '--b--',
        '\r\n',
        '\n',
        '\r\n\r\n',
        ' ',
        '\0',
        '\xff',
        '<',
        '>',
        '@',
        'a@b.example',
        ';',
        ':',
        '=',
        '"',
      ],
      ...['Content-Type: message/delivery-status', 'Content-Type: text/html', 'Content-Type: message/rfc822'],
      ...['Content-Type: multipart/report; boundary=b', 'Content-Transfer-Encoding: base64', 'charset=utf-16'],
      ...[
        'Final-Recipient: rfc822; a@b.example',
        'Action: failed',
        'Action: ',
        'Status: 5.1.1',
        'Diagnostic-Code: smtp;',
      ],
      ...['550 5.1.1', '550-', ' said: ', '->', '\\x{110000}', '\\x{d800}', '+2B', '&#99999999;', '=?utf-8?B?4oI=?='],
      ...['undeliverable', 'Hi. This is the qmail-send program at', '--- Below this line is a copy of the message.'],
      ...['Feedback-Type: abuse', 'Disposition: displayed', 'X-Failed-Recipients: a@b.example', 'Message-ID: <x@y>'],
    );
    fc.assert(
      fc.property(fc.boolean(), fc.array(token, { maxLength: 60 }), (report, tokens) => {
        const message = Buffer.from((report ? REPORT : HEAD) + tokens.join(''), 'latin1');
        expect(readReport(message)).toEqual(readReport(message));
      }),
      { numRuns: 500 },
    );
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 2_000 }), (octets) => {
        expect(readReport(Buffer.from(octets)).kind).toBeTypeOf('string');
      }),
    );
  });

  it.each([
    ['look-alikes of a boundary', REPORT, '--b x\r\n'],
    ['dashes', REPORT, '-'],
    ['lines of dashes', REPORT, '--\r\n'],
    ['line ends', REPORT, '\n'],
    ['delimiters', REPORT, '--b\r\n'],
    ['nested multiparts', REPORT, '--b\r\nContent-Type: multipart/mixed; boundary=b\r\n\r\n'],
    ['status fields', REPORT + STATUS, 'Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n'],
    ['recipients', REPORT + STATUS, 'Final-Recipient: a@b\r\n'],
    ['a diagnostic without end', `${REPORT}${STATUS}Action: failed\r\nDiagnostic-Code: smtp; 550`, ' 550 5.1.1 said: '],
    ['lines of a diagnostic', `${REPORT}${STATUS}Action: failed\r\nDiagnostic-Code: smtp; 550`, '\r\n 550-5.1.1 x'],
    ['addresses', PROSE, '<a@b.example>: 550 5.1.1 no such user\r\n'],
    ['notes of aliases', PROSE, 'a@b.example\r\n    (ultimately generated from c@b.example)\r\n'],
    ['apostrophes', PROSE, "a'b"],
    ['addresses in one line', PROSE, 'a@b.example '],
    ['letters', PROSE, 'a'],
    ['at signs', PROSE, '@'],
    ['brackets', PROSE, '<'],
    ['blanks', PROSE, ' '],
    ['quotations', PROSE, '> '],
    ['codes', PROSE, '550 '],
    ['statuses', PROSE, '5.1.1.'],
    ['arrows', PROSE, '-> '],
    ['words of failure', PROSE, 'delivery has delivery '],
    ['labels', PROSE, 'To To To: '],
    ['lines like a dialogue', PROSE, '>>> RCPT\r\n'],
    ['tags', `${HEAD}Content-Type: text/html\r\n\r\n`, '<'],
    ['hidden tags', `${HEAD}Content-Type: text/html\r\n\r\n`, '<style>'],
    ['entities', `${HEAD}Content-Type: text/html\r\n\r\n`, '&#'],
    ['encoded words', 'Subject: ', '=?utf-8?Q?a?= '],
    ['names of the failed', 'X-Failed-Recipients: ', 'a@b,'],
    ['a sender without end', 'From: ', '<mailer '],
    ['parts of status fields', REPORT, `${STATUS}${'Final-Recipient: a@b\r\nAction: failed\r\n'.repeat(1_500)}`],
    ['parts of line ends', REPORT, `${STATUS}${'\n'.repeat(60_000)}`],
    ['texts of line ends', REPORT, `--b\r\n\r\n${'\n'.repeat(60_000)}`],
    ['texts of fields', REPORT, `--b\r\n\r\n${'Final-Recipient: a\r\n'.repeat(3_000)}`],
    ['returned heads', REPORT, `--b\r\nContent-Type: message/rfc822\r\n\r\n${'Received: a\r\n'.repeat(5_000)}`],
    ['heads of parts', REPORT, `--b\r\nContent-Type: text/plain${'; name*1*=%41'.repeat(3_000)}\r\n\r\n`],
    ['base64', REPORT, `--b\r\nContent-Transfer-Encoding: base64\r\n\r\n${'QUFB'.repeat(15_000)}\r\n`],
    ['escapes', REPORT, `--b\r\nContent-Transfer-Encoding: quoted-printable\r\n\r\n${'=41'.repeat(20_000)}\r\n`],
    ['marks over letters', `${HEAD}Content-Type: text/plain; charset=utf-8\r\n\r\n`, 'a\xcc\x81\xcc\x81'],
  ])('reads 10 MB of %s at the price of ordinary reports', async (_what, head, piece) => {
    const hostile = filled(head, piece);
    expect(await cost(() => readReport(hostile), 2)).toBeLessThan(20 * (await ordinaryCost()));
  });
});
