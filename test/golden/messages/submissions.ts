import type { Expected, GoldenSubmission } from './golden-mail.js';

interface Sketch {
  /** Header fields behind the usual ones; a field of the same name takes the usual one's place, '' leaves it out. */
  head?: Record<string, string>;
  body: string | Buffer;
  expected?: Partial<Expected>;
}

const USUAL = {
  From: 'Shop <news@news.example.com>',
  To: 'Ada <ada@recipients.test>',
  // As a client writes it: now, in its own zone.
  Date: new Date(Date.now() + 3_600_000).toUTCString().replace('GMT', '+0100'),
  'Message-ID': '',
  'MIME-Version': '1.0',
  'Content-Type': 'text/plain; charset=utf-8',
};

function submission(name: string, structure: string[], { head = {}, body, expected = {} }: Sketch): GoldenSubmission {
  const messageId = `<${name.replace(/[^a-z0-9]/gi, '-')}@news.example.com>`;
  const fields = { ...USUAL, 'Message-ID': messageId, Subject: `Golden: ${name}`, ...head };
  const lines = Object.entries(fields)
    .filter(([, value]) => value !== '')
    .map(([field, value]) => `${field}: ${value}\r\n`);
  return {
    name,
    raw: Buffer.concat([Buffer.from(`${lines.join('')}\r\n`), Buffer.from(body)]),
    expected: { structure, subject: `Golden: ${name}`, fromName: 'Shop', ...expected },
  };
}

const PLAIN = ['text/plain'];
const CALENDAR = [
  'BEGIN:VCALENDAR',
  'VERSION:2.0',
  'PRODID:-//Shop//EN',
  'METHOD:REQUEST',
  'BEGIN:VEVENT',
  'UID:1@news.example.com',
  'DTSTAMP:20261120T090000Z',
  'DTSTART:20261127T090000Z',
  'DTEND:20261127T100000Z',
  'SUMMARY:Delivery of your order',
  'ORGANIZER:mailto:news@news.example.com',
  'ATTENDEE:mailto:ada@recipients.test',
  'END:VEVENT',
  'END:VCALENDAR',
  '',
].join('\r\n');

/** Messages of every shape that clients submit; what is behind the header block must arrive octet for octet. */
export const GOLDEN_SUBMISSIONS: GoldenSubmission[] = [
  submission('a calendar', ['multipart/alternative', 'text/plain', 'text/html', 'text/calendar'], {
    head: { 'Content-Type': 'multipart/alternative; boundary="b1"' },
    body:
      '--b1\r\nContent-Type: text/plain; charset=utf-8\r\n\r\nYour order comes on Friday.\r\n' +
      '--b1\r\nContent-Type: text/html; charset=utf-8\r\n\r\n<p>Your order comes on Friday, between ten and eleven.</p>\r\n' +
      `--b1\r\nContent-Type: text/calendar; charset=utf-8; method=REQUEST\r\n\r\n${CALENDAR}--b1--\r\n`,
    expected: { text: 'Your order comes on Friday.' },
  }),
  submission('eight bits', PLAIN, {
    head: {
      'Content-Transfer-Encoding': '8bit',
      Subject: '=?utf-8?q?Gr=C3=BC=C3=9Fe_aus_K=C3=B6ln?=',
      From: '=?utf-8?b?5bGx55Sw5ZWG5bqX?= <news@news.example.com>',
    },
    body: 'Grüße aus Köln, 山田さん.\r\n',
    expected: { subject: 'Grüße aus Köln', fromName: '山田商店', text: 'Grüße aus Köln, 山田さん.\n' },
  }),
  submission('Latin-1', PLAIN, {
    head: { 'Content-Type': 'text/plain; charset=iso-8859-1', 'Content-Transfer-Encoding': '8bit' },
    body: Buffer.from('Gr\u00fc\u00dfe aus K\u00f6ln.\r\n', 'latin1'),
    expected: { text: 'Grüße aus Köln.\n' },
  }),
  submission('dots and From', PLAIN, {
    body: '.\r\n..\r\n.x\r\nFrom here on\r\n\r\nFrom x\r\n...\r\nend\r\n.\r\n',
    expected: { text: '.\n..\n.x\nFrom here on\n\nFrom x\n...\nend\n.\n' },
  }),
  submission('trailing blank lines and spaces', PLAIN, {
    body: 'one  two\t\tthree \r\n \r\n\r\nend\t\r\n\r\n\r\n \r\n\r\n',
  }),
  submission('an empty body', PLAIN, { body: '', expected: { text: '' } }),
  submission('lines of 998 octets', PLAIN, {
    head: { 'X-Long': 'x'.repeat(998 - 'X-Long: '.length) },
    body: `${'y'.repeat(998)}\r\n${'z'.repeat(997)}\r\nend\r\n`,
  }),
  submission('folded headers', PLAIN, {
    head: {
      Subject: 'Golden:\r\n\tfolded \r\n    subject',
      References: Array.from({ length: 40 }, (_, i) => `<ref${i}@news.example.com>`).join('\r\n '),
    },
    body: 'x\r\n',
    expected: { subject: 'Golden:\tfolded     subject' },
  }),
  submission('a preamble and an epilogue', ['multipart/mixed', 'text/plain', 'text/csv'], {
    head: { 'Content-Type': 'multipart/mixed;\r\n\tboundary="=_ b 2 (x)"' },
    body:
      'This is a message of several parts.\r\n--=_ b 2 (x)\r\nContent-Type: text/plain\r\n\r\nhello\r\n' +
      '--=_ b 2 (x)\r\nContent-Type: text/csv; name="a b.csv"\r\nContent-Transfer-Encoding: base64\r\n' +
      'Content-Disposition: attachment; filename="a b.csv"\r\n\r\nYTtiDQoxOzINCg==\r\n--=_ b 2 (x)--\r\nepilogue\r\n\r\n',
    expected: {
      text: 'hello',
      files: [{ filename: 'a b.csv', sha256: '484a1d625c5f5dc56776fde01368e094fe6046f17aa525ba7b8718e13f610ce7' }],
    },
  }),
  submission('fields of its own', PLAIN, {
    head: {
      'Feedback-ID': 'spring:shop:mine',
      'List-Unsubscribe': '<https://news.example.com/u>, <mailto:stop@news.example.com>',
      'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click',
      'Reply-To': 'Help <help@news.example.com>',
      'In-Reply-To': '<x@news.example.com>',
    },
    body: 'x\r\n',
  }),
  submission('no date and no id', PLAIN, { head: { Date: '', 'Message-ID': '' }, body: 'x\r\n' }),
  submission('a link to unsubscribe at', PLAIN, {
    head: { 'X-Service-List-Unsubscribe': 'one-click', 'X-Service-Tag-campaign': 'spring' },
    body: 'x\r\n',
  }),
];
