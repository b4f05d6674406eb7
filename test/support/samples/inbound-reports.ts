import type { SentMail } from '../inbound/inbound-fixture.js';

/** One failure of `dsn`; `final: null` names nobody. */
export interface Failure {
  final?: string | null;
  original?: string;
  action?: string;
  status?: string;
  words?: string;
}

/** A delivery status notification as Postfix makes it. */
export function dsn(sent: Pick<SentMail, 'trace' | 'messageId'> | null, failures: Failure[] = [{}]): string {
  const groups = failures.map(({ final = 'ada@rcpt.example', original, action = 'failed', status = '5.1.1', words }) =>
    [
      ...(original === undefined ? [] : [`Original-Recipient: rfc822;${original}`]),
      ...(final === null ? [] : [`Final-Recipient: rfc822; ${final}`]),
      `Action: ${action}`,
      `Status: ${status}`,
      `Diagnostic-Code: smtp; 550 ${status} ${words ?? 'No such user here'}`,
      'Remote-MTA: dns; mx.rcpt.example',
    ].join('\r\n'),
  );
  const returned =
    sent === null ? ['Subject: hello'] : [`X-Postloft-Ref: ${sent.trace}`, `Message-ID: ${sent.messageId}`];
  return [
    'From: MAILER-DAEMON@mx.rcpt.example',
    'Subject: Undelivered Mail Returned to Sender',
    'Auto-Submitted: auto-replied',
    'Content-Type: multipart/report; report-type=delivery-status; boundary=b',
    '',
    '--b',
    'Content-Type: text/plain',
    '',
    'This is the mail system at mx.rcpt.example.',
    '',
    '--b',
    'Content-Type: message/delivery-status',
    '',
    'Reporting-MTA: dns; mx.rcpt.example',
    '',
    ...groups.flatMap((group) => [group, '']),
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    ...returned,
    '',
    '--b--',
    '',
  ].join('\r\n');
}

export interface Complaint {
  type?: string;
  rcpt?: string;
  head?: string[];
  from?: string;
}

/** A complaint about the mail whose head it returns; its words try to break what shows them. */
export function arf({ type = 'abuse', rcpt, head = [], from = 'fbl@loop.example' }: Complaint): string {
  return [
    `From: <${from}>`,
    'Subject: complaint',
    'Content-Type: multipart/report; report-type=feedback-report; boundary=b',
    '',
    '--b',
    'Content-Type: message/feedback-report',
    '',
    `Feedback-Type: ${type}`,
    'User-Agent: Loop/1\u0000\u001b[31m',
    'Version: 1',
    ...(rcpt === undefined ? [] : [`Original-Rcpt-To: ${rcpt}`]),
    '',
    '--b',
    'Content-Type: text/rfc822-headers',
    '',
    ...head,
    '',
    '--b--',
    '',
  ].join('\r\n');
}

/** An automatic answer. */
export const vacation = [
  'From: ada@rcpt.example',
  'Subject: away',
  'Auto-Submitted: auto-replied',
  '',
  'I am away.',
].join('\r\n');
