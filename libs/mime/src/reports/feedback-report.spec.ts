import { describe, expect, it } from 'vitest';
import { readFeedbackReport } from './feedback-report.js';
import { atOnce, readReportParts } from './report-parts.js';

const TRACE = 'A'.repeat(44);
const HEAD = ['From: Loop <fbl@Mail.Rcpt.Example>', 'Content-Type: multipart/report; boundary=b', ''];
const RETURNED = [
  'Return-Path: <b+abc@bounces.relay.example>',
  `X-Postloft-Ref: ${TRACE}`,
  'Message-ID: <1@sender.example>',
];

const readLines = (...lines: string[]) =>
  atOnce(readFeedbackReport(atOnce(readReportParts(Buffer.from(lines.join('\r\n'), 'latin1')))));
const part = (type: string, ...lines: string[]) => ['--b', `Content-Type: ${type}`, '', ...lines, ''];
const report = (fields: string[], returned: string[] = RETURNED) =>
  readLines(...HEAD, ...part('message/feedback-report', ...fields), ...part('message/rfc822', ...returned), '--b--');

describe('readFeedbackReport', () => {
  it('reads the fields of a report and the recipient of the returned mail', () => {
    expect(
      report(['Feedback-Type: Abuse', 'User-Agent: Loop/1', 'Version: 1', 'Original-Rcpt-To: <Ada@rcpt.example>']),
    ).toEqual({
      kind: 'feedback',
      feedbackType: 'abuse',
      userAgent: 'Loop/1',
      reporter: 'mail.rcpt.example',
      recipients: ['Ada@rcpt.example'],
      returned: {
        messageId: '<1@sender.example>',
        trace: TRACE,
        returnPath: 'b+abc@bounces.relay.example',
      },
    });
  });

  it('returns each recipient once, as written in the report', () => {
    const rcpt = ['a@one.example', 'b@one.example', 'a@one.example', '***@one.example'];
    const fields = rcpt.map((address) => `Original-Rcpt-To: rfc822;${address}`);
    expect(report(['Feedback-Type: abuse', 'Version: 1', ...fields])?.recipients).toEqual([
      'a@one.example',
      'b@one.example',
      '***@one.example',
    ]);
  });

  it('uses fields of the delivering server only where the report has no field for the recipient', () => {
    const returned = ['Delivered-To: ada@rcpt.example', 'To: grace@rcpt.example', ...RETURNED];
    expect(report(['Feedback-Type: abuse', 'Version: 1'], returned)?.recipients).toEqual(['ada@rcpt.example']);
    const hidden = ['Feedback-Type: abuse', 'Version: 1', 'Original-Rcpt-To: redacted'];
    expect(report(hidden, returned)?.recipients).toEqual([]);
  });

  it('finds our return path after that of a forwarder', () => {
    const fields = ['Feedback-Type: abuse', 'Version: 1', 'Original-Mail-From: <SRS0=a=b=c=d@forward.example>'];
    expect(report(fields)?.returned.returnPath).toBe('b+abc@bounces.relay.example');
  });

  it('gives a report without a type the type other', () => {
    expect(report(['Version: 1'])?.feedbackType).toBe('other');
    expect(report([])?.feedbackType).toBe('other');
    expect(report(['Feedback-Type: not-spam; q=1', 'Version: 1'])?.feedbackType).toBe('not-spam');
  });

  it.each([
    [
      'a bounce',
      [...HEAD, ...part('message/delivery-status', 'Action: failed'), ...part('message/rfc822', ...RETURNED)],
    ],
    ['a mail about reports', ['Subject: hello', '', 'Feedback-Type: abuse', '', 'is a field.']],
    ['a forwarded mail', ['Subject: Fwd: offers', ...HEAD, ...part('message/rfc822', ...RETURNED)]],
    [
      'a complaint that is taken back',
      ['Subject: Spam report: not spam', ...HEAD, ...part('message/rfc822', ...RETURNED)],
    ],
    ['a complaint without a mail', ['Subject: Spam report', '', 'you are bad']],
    ['nothing', []],
  ])('does not take %s for a report', (_what, lines) => {
    expect(readLines(...lines)).toBeNull();
  });

  it.each([
    'Complaint about message from 192.0.2.1',
    'Fwd: Spam report - offers',
    '[Abuse report] offers',
    'E-Mail Feedback Report for IP 1',
  ])('takes an attached mail with the Subject "%s" for a complaint', (subject) => {
    expect(readLines(`Subject: ${subject}`, ...HEAD, ...part('message/rfc822', ...RETURNED))).toMatchObject({
      feedbackType: 'abuse',
      returned: { trace: TRACE },
    });
  });

  it('finds the trace of a mail that is quoted', () => {
    const text = ['> Received: x', `> X-Postloft-Ref: ${TRACE}`];
    expect(
      readLines(...HEAD, ...part('text/plain', ...text), ...part('message/feedback-report', 'Feedback-Type: abuse'))
        ?.returned,
    ).toEqual({ messageId: null, trace: TRACE, returnPath: null });
  });

  // Linear time is milliseconds; quadratic time would exceed the limit of the test.
  it('reads any input in linear time', () => {
    const bombs = [
      '\n'.repeat(500_000),
      `X-Postloft-Ref:${' '.repeat(500_000)}`,
      '> '.repeat(250_000),
      'a@'.repeat(250_000),
    ];
    for (const bomb of bombs) {
      const read = report(
        ['Feedback-Type: abuse', 'Version: 1', `Original-Rcpt-To: ${bomb}`, bomb],
        [bomb, ...RETURNED],
      );
      expect(read?.feedbackType).toBe('abuse');
      readLines(`Subject: ${bomb}`, ...HEAD, ...part('message/rfc822', bomb));
    }
  });
});
