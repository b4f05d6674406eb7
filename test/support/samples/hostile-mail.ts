/** Messages made to be slow to read, each as the beginning of a message and the piece that is repeated behind it. */
type HostileMessage = [what: string, head: string, piece: string];

const SIZE = 10_000_000;

/** Ten megabytes: a reader whose time grows with the square of the size does not return within any time limit. */
export function filled(head: string, piece: string, size = SIZE): Buffer {
  return Buffer.from(head + piece.repeat(Math.ceil(size / piece.length)), 'latin1');
}

const DASH = 'Content-Type: multipart/mixed; boundary="-"\r\n\r\n';
const MIXED = 'Content-Type: multipart/mixed; boundary=b\r\n\r\n';
const QUOTED = 'Content-Transfer-Encoding: quoted-printable\r\n\r\n';

export const HOSTILE_MESSAGES: HostileMessage[] = [
  ['boundary look-alikes', DASH, '-\r\n'],
  ['dashes', DASH, '-'],
  ['delimiters', MIXED, '--b\r\n'],
  ['delimiters with tails', MIXED, '--bx\r\n'],
  ['escapes', QUOTED, '=41'],
  ['equals signs', QUOTED, '='],
  ['headers', '', 'A: b\r\n'],
  ['line ends', '', '\r\n'],
  ['a header without end', '', 'a'],
  ['pieces of a name', 'Content-Disposition: attachment', ';\r\n filename*1*=a'],
  ['quotes', 'Content-Disposition: attachment; filename=', '"\\'],
  ['white space behind base64', 'Content-Disposition: attachment\r\nContent-Transfer-Encoding: base64\r\n\r\nYQ=', ' '],
];

const HEAD = 'From: MAILER-DAEMON@mx.example\r\nSubject: Undelivered Mail Returned to Sender\r\n';
const REPORT = `${HEAD}Content-Type: multipart/report; report-type=delivery-status; boundary=b\r\n\r\n`;
const STATUS = '--b\r\nContent-Type: message/delivery-status\r\n\r\n';
const PROSE = `${HEAD}\r\nYour message could not be delivered.\r\n\r\n`;

/** Beginnings of delivery reports. */
export const REPORT_PARTS = { HEAD, REPORT, STATUS, PROSE };

export const HOSTILE_REPORTS: HostileMessage[] = [
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
];

/** Each begins many alternatives of the patterns for replies of servers and finishes none. */
export const HOSTILE_REPLIES = [
  'a',
  ' ',
  'mailbox ',
  'mailbox of x ',
  'user <x> ',
  'recipient user account mailbox ',
  'sender address ',
  'user ( ',
  'no such address or unknown ',
  'not in the user ',
  'domain host is not ',
  'exceeds message size ',
  'try again in ',
  'wait one m1 ',
  'return to the sender ',
  '<x',
  'x@y.',
  'a.b.c.',
  'https://x.y/z',
  'ящик ',
  '邮箱',
];

/** The same for the patterns for texts of reports. */
export const HOSTILE_REPORT_TEXTS = [
  'a',
  '-',
  '@',
  'a@',
  'delivery has ',
  'your message ',
  'konnte nicht ',
  'hi. this is the ',
  '550 ',
  '550-5.1.1 ',
  '5.1.1.',
  'не удалось ',
  '配信',
];
