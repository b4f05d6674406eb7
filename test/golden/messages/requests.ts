import { createHash } from 'node:crypto';
import type { Expected, GoldenRequest } from './golden-mail.js';

const sha256 = (content: Buffer): string => createHash('sha256').update(content).digest('hex');

const PLAIN = ['text/plain'];
const HTML = ['text/html'];
const BOTH = ['multipart/alternative', 'text/plain', 'text/html'];

interface File {
  filename: string;
  content: Buffer;
  content_type: string;
  content_id?: string;
}

const everyByte = Buffer.from(Array.from({ length: 1_024 }, (_, i) => (i * 7) & 255));
const pdf = (filename: string): File => ({
  filename,
  content: Buffer.concat([Buffer.from('%PDF-1.7\n'), everyByte, Buffer.from('\n%%EOF\n')]),
  content_type: 'application/pdf',
});
/** The smallest picture that is one: a transparent dot. */
const png = (filename: string, content_id?: string): File => ({
  filename,
  content: Buffer.from(
    'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==',
    'base64',
  ),
  content_type: 'image/png',
  ...(content_id ? { content_id } : {}),
});
const txt = (filename: string, text: string): File => ({
  filename,
  content: Buffer.from(text),
  content_type: 'text/plain',
});

interface Sketch {
  subject?: string;
  text?: string;
  html?: string;
  files?: File[];
  from?: { name: string; quoted?: boolean };
  more?: Record<string, unknown>;
  expected?: Partial<Expected>;
}

function request(name: string, structure: string[], sketch: Sketch): GoldenRequest {
  const { subject = `Golden: ${name}`, more = {}, expected = {} } = sketch;
  const body = { from: fromField(sketch.from), subject, ...contentOf(sketch), ...more };
  return {
    name,
    body,
    expected: { structure, subject, fromName: sketch.from?.name ?? '', ...expectedContent(sketch), ...expected },
  };
}

function fromField(from: Sketch['from']): string {
  const address = 'news@news.example.com';
  if (!from) return address;
  return `${from.quoted ? JSON.stringify(from.name) : from.name} <${address}>`;
}

function contentOf({ text, html, files }: Sketch): Record<string, unknown> {
  const attachments = files?.map((file) => ({ ...file, content: file.content.toString('base64') }));
  return {
    ...(text === undefined ? {} : { text }),
    ...(html === undefined ? {} : { html }),
    ...(attachments === undefined ? {} : { attachments }),
  };
}

function expectedContent({ text, html, files = [] }: Sketch): Partial<Expected> {
  return {
    ...(text === undefined ? {} : { text: withLineFeeds(text) }),
    ...(html === undefined ? {} : { html: withLineFeeds(html) }),
    files: files.map(({ filename, content }) => ({ filename, sha256: sha256(content) })),
  };
}

const withLineFeeds = (text: string): string => text.replace(/\r\n|\r/g, '\n');

const page = (body: string) => `<!doctype html><html><head><title>t</title></head><body>${body}</body></html>`;
const paragraphs = (texts: string[]) => texts.map((text) => `<p>${text}</p>`).join('\n');
/** Enough words that a mail with a picture is not taken for a picture. */
const SENTENCES = [
  'Thank you for your order. It left our house this morning and will be with you on Friday, between ten and noon.',
  'If you are not at home, the driver leaves the parcel with a neighbour and puts a card into your letter box.',
  'Should anything be missing or broken, answer this mail within two weeks, and we send another one free of charge.',
  'Your invoice is attached to this mail; please keep it, because you need it for the guarantee of two years.',
  'We wish you much joy with what you bought, and would be glad to see you again in our shop before long.',
  'Our people are there for you from Monday to Friday, from eight in the morning until six in the evening.',
  'Kind regards from all of us, and from Ada, who packed your parcel with care and wrote these lines herself.',
];
const TEXT = `${SENTENCES.join('\n')}\n`;
const ORDER = page(paragraphs(SENTENCES));
const LETTER = Array.from({ length: 6 }, (_, i) => SENTENCES.map((sentence) => `${i + 1}. ${sentence}`)).flat();
const LETTER_TEXT = `${LETTER.join('\n')}\n`;
const LOGO = page(`${paragraphs(LETTER)}<p><img src="cid:logo" alt="logo"></p>`);

const shapes: GoldenRequest[] = [
  request('text only', PLAIN, { text: TEXT }),
  request('html only', HTML, { html: ORDER }),
  request('text and html', BOTH, { text: TEXT, html: ORDER }),
  request('html with a picture', ['multipart/related', 'text/html', 'image/png'], {
    html: LOGO,
    files: [png('logo.png', 'logo')],
  }),
  request(
    'text and html with a picture',
    ['multipart/alternative', 'text/plain', 'multipart/related', 'text/html', 'image/png'],
    { text: LETTER_TEXT, html: LOGO, files: [png('logo.png', 'logo')] },
  ),
  request('text with a file', ['multipart/mixed', 'text/plain', 'application/pdf'], {
    text: TEXT,
    files: [pdf('order.pdf')],
  }),
  request('html with a file', ['multipart/mixed', 'text/html', 'application/pdf'], {
    html: ORDER,
    files: [pdf('order.pdf')],
  }),
  request('text and html with a file', ['multipart/mixed', ...BOTH, 'application/pdf'], {
    text: TEXT,
    html: ORDER,
    files: [pdf('order.pdf')],
  }),
  request(
    'everything',
    [
      'multipart/mixed',
      'multipart/alternative',
      'text/plain',
      'multipart/related',
      'text/html',
      'image/png',
      'image/png',
      'application/pdf',
      'text/plain',
    ],
    {
      text: LETTER_TEXT,
      html: LOGO.replace('</body>', '<img src="cid:dot@news" alt="dot"></body>'),
      files: [png('logo.png', 'logo'), png('dot.png', 'dot@news'), pdf('order.pdf'), txt('terms.txt', 'No terms.\n')],
    },
  ),
  request(
    'ten files whose names are hard',
    ['multipart/mixed', 'text/plain', ...Array<string>(10).fill('application/pdf')],
    {
      text: TEXT,
      files: [
        'Rechnung März 2026.pdf',
        '請求書 2026年3月.pdf',
        'חשבונית.pdf',
        '😀 smile 👩‍👩‍👧.pdf',
        'a "quoted" name.pdf',
        "it's 100% (final); v=2.pdf",
        `${'long-name-'.repeat(20)}.pdf`,
        `${'длинное имя '.repeat(10)}.pdf`,
        'percent%20and=equals?.pdf',
        'two  spaces.pdf',
      ].map(pdf),
    },
  ),
  request('a file of one byte', ['multipart/mixed', 'text/plain', 'text/plain'], {
    text: TEXT,
    files: [txt('one.txt', '1')],
  }),
];

const LONG = ['word '.repeat(400), 'x'.repeat(5_000), 'ä'.repeat(2_000)];

const bodies: GoldenRequest[] = [
  request('an empty text', PLAIN, { text: '', html: undefined }),
  request('trailing blank lines', PLAIN, { text: `${TEXT}\n\n\n \n\n` }),
  request('no final newline', BOTH, { text: 'Your code is 4711.', html: '<p>Your code is <b>4711</b>.</p>' }),
  request('dots', BOTH, {
    text: '.\n..\n...\n.hidden\nend.\n.\n',
    html: '<p>\n.\n..\n...\n.hidden\nend.\n.\n</p>\n.',
  }),
  request('lines that begin with From', BOTH, {
    text: 'From here on it is easy.\n\nFrom  x\n>From y\nFrom',
    html: '<p>\nFrom here on it is easy, and there is nothing left to do.\n</p>',
  }),
  request('German', BOTH, {
    subject: 'Ihre Bestellung für München ist unterwegs',
    from: { name: 'Müller & Söhne' },
    text: 'Grüße aus Köln: „Straße“ – 20 €\n',
    html: page('<p>Grüße aus Köln: „Straße“ – 20 €, und vielen Dank für Ihre Bestellung.</p>'),
  }),
  request('long lines', BOTH, {
    text: LONG.join('\n'),
    html: page(LONG.map((line) => `<p>${line}</p>`).join('')),
  }),
  request('white space at line ends', BOTH, {
    text: 'space \ntab\t\n both \t \n\t\n  \nlast ',
    html: '<p>space </p> \n\t\n<p>tab\t</p>\t<p>both \t last </p> ',
  }),
  request('line ends of every kind', PLAIN, { text: 'unix\nwindows\r\nmac\rboth\n\r\nend\r' }),
  request('equals signs and controls', PLAIN, {
    text: 'a=b=3D=\n==\n=\n\u0001\u0007\u001b[0m\u007f\u0085\u00a0\u2028end',
  }),
  request('lines of 76, 77, 998 and 999', PLAIN, {
    text: [75, 76, 77, 78, 997, 998, 999, 1_000].map((length) => 'z'.repeat(length)).join('\n'),
  }),
];

const people = Array.from({ length: 50 }, (_, i) => ({
  name: ['Ada Lovelace', 'Grüße, Köln', '山田 太郎', 'שלום עולם', 'Nguyễn Văn A', 'O"Neil \\ Sons (x)'][i % 6],
  address: `${sha256(Buffer.from(`${i}`)).slice(0, 20 + i)}@recipients.test`,
}));
const listed = (all: typeof people) =>
  all.map(({ name, address }) => `"${name.replace(/["\\]/g, '\\$&')}" <${address}>`);

const heads: GoldenRequest[] = [
  request('right to left', BOTH, {
    subject: 'שלום, ההזמנה שלך בדרך ❤ مرحبا بكم',
    from: { name: 'متجر القاهرة' },
    text: 'שלום עולם\nمرحبا بالعالم\n',
    html: page('<p dir="rtl">שלום עולם, ההזמנה שלך בדרך אליך ותגיע ביום שישי</p>'),
  }),
  request('emoji', BOTH, {
    subject: '👩‍👩‍👧‍👦 family 🏳️‍🌈 flag 🇩🇪 skin 👍🏽 end',
    from: { name: '🚀 Rocket 🚀' },
    text: 'A family: 👩‍👩‍👧‍👦\n',
    html: page('<p>A family: 👩‍👩‍👧‍👦</p>'),
  }),
  request('Chinese, Japanese and Korean', BOTH, {
    subject: '請求書と領収書をお送りします。ご確認ください。주문해 주셔서 감사합니다',
    from: { name: '株式会社 山田商店' },
    text: 'ご注文ありがとうございます。\n주문해 주셔서 감사합니다.\n',
    html: page('<p>ご注文ありがとうございます。</p><p>주문해 주셔서 감사합니다.</p>'),
  }),
  request('a subject of 998 letters', PLAIN, { subject: `${'word '.repeat(199)}end`, text: TEXT }),
  request('a subject of 998 letters without a space', PLAIN, { subject: 'x'.repeat(998), text: TEXT }),
  request('a subject of 499 emoji', PLAIN, { subject: '😀'.repeat(499), text: TEXT }),
  request('a subject that looks encoded', PLAIN, { subject: '=?utf-8?q?not_a_word?= =?x?=', text: TEXT }),
  request('a subject with many spaces', PLAIN, { subject: 'one  two   three    four', text: TEXT }),
  request('names with special marks', BOTH, {
    from: { name: 'Smith, John (Sales) "JS" <x>; \\ [a]:b@c', quoted: true },
    text: TEXT,
    html: ORDER,
  }),
  request('very long lists', BOTH, {
    text: TEXT,
    html: ORDER,
    more: {
      to: listed(people.slice(0, 40)),
      cc: listed(people.slice(40)),
      reply_to: ['"Help, desk" <help@news.example.com>', 'Ünïcode <two@news.example.com>'],
    },
    expected: {
      toNames: people.slice(0, 40).map(({ name }) => name),
      ccNames: people.slice(40).map(({ name }) => name),
    },
  }),
  request('headers of its own', BOTH, {
    text: TEXT,
    html: ORDER,
    more: {
      headers: {
        'X-Order': '4711',
        'X-Name': 'Grüße an 山田',
        'X-Long': 'token '.repeat(300).trim(),
        References: '<a@news.example.com> <b@news.example.com>',
        'Auto-Submitted': 'auto-generated',
      },
      tags: { campaign: 'spring sale' },
    },
  }),
  request('a list to leave by one click', BOTH, {
    text: TEXT,
    html: ORDER,
    more: { list_unsubscribe: { one_click: true, mailto: 'stop@news.example.com?subject=stop' } },
  }),
  request('a list with a link of its own', BOTH, {
    text: TEXT,
    html: ORDER,
    more: { list_unsubscribe: { url: `https://news.example.com/u?${'t=1&'.repeat(200)}`, one_click: true } },
  }),
];

/** Every shape of mail that the API composes. */
export const GOLDEN_REQUESTS: GoldenRequest[] = [...shapes, ...bodies, ...heads];
