import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { filled, HOSTILE_REPORTS, REPORT_PARTS } from '../../../../test/support/samples/hostile-mail.js';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { readReport, readReportInSteps } from './read-report.js';

const { HEAD, REPORT, STATUS } = REPORT_PARTS;

const read = (text: string) => readReport(Buffer.from(text, 'latin1'));

describe('readReport', () => {
  it('finds the status after a text of 10 MB', () => {
    const words = '--b\r\nContent-Type: text/plain\r\n\r\n' + 'The message did not arrive.\r\n'.repeat(350_000);
    const fields = `${STATUS}Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n--b--\r\n`;
    expect(read(REPORT + words + fields)).toMatchObject({
      kind: 'delivery',
      recipients: [{ action: 'failed', finalRecipient: 'a@b.example', status: '5.1.1' }],
    });
  });

  it.each([
    ['text without delimiters', `${REPORT}${'-'.repeat(10_000_000)}`, 38],
    ['parts of 60 kB', REPORT + `--b\r\n\r\n${'x'.repeat(60_000)}\r\n`.repeat(150), 150],
    ['parts with status fields', REPORT + `${STATUS}${'Final-Recipient: a@b\r\n'.repeat(100)}`.repeat(150), 150],
  ])('reads %s in steps that are bounded in octets', (_what, text, least) => {
    const message = Buffer.from(text, 'latin1');
    const steps = readReportInSteps(message);
    let count = 0;
    let last = steps.next();
    for (; last.done !== true; last = steps.next()) count += 1;
    expect(count).toBeGreaterThanOrEqual(least);
    expect(last.value).toEqual(readReport(message));
  });

  it('finds no recipient in 50,000 parts and in 2,000 levels', () => {
    expect(read(REPORT + '--b\r\n\r\nx\r\n'.repeat(50_000)).kind).not.toBe('feedback');
    const levels = Array.from(
      { length: 2_000 },
      (_, level) => `Content-Type: multipart/mixed; boundary=b${level}e\r\n\r\n--b${level}e\r\n`,
    );
    expect(read(levels.join('') + STATUS)).toEqual({ kind: 'unknown' });
  });

  it('reads a header of unlimited length, and one of 3,000 fields', () => {
    expect(readReport(filled('', 'X-Field: word\r\n'))).toEqual({ kind: 'unknown' });
    expect(readReport(filled('Subject: ', 'word '))).toEqual({ kind: 'unknown' });
    const many = 'X-Spam: word\r\n'.repeat(1_500);
    const report = REPORT.replace('\r\n\r\n', `\r\n${many}\r\n`);
    expect(read(`${report}${STATUS}Final-Recipient: rfc822; a@b.example\r\nAction: failed\r\n`).kind).toBe('delivery');
  });

  it('returns 500 recipients at most', () => {
    const group = (i: number) => `Final-Recipient: rfc822; a${i}@b.example\r\nAction: failed\r\nStatus: 5.1.1\r\n\r\n`;
    const report = read(REPORT + STATUS + Array.from({ length: 2_000 }, (_, i) => group(i)).join(''));
    expect(report).toMatchObject({ kind: 'delivery' });
    expect(report.kind === 'delivery' && report.recipients.length).toBe(500);
  });

  it('never throws, and returns the same result twice', () => {
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

  it.each(HOSTILE_REPORTS)('reads 10 MB of %s in linear time', (_what, head, piece) => {
    expect(mustReturn(() => readReport(filled(head, piece)))).toBeDefined();
  });
});
