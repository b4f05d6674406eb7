import { execFileSync } from 'node:child_process';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { attachmentTree } from './attachment-tree.js';
import { composeMessage, headerProblem } from './compose-message.js';
import type { MessageAttachment, MessageParts } from './message-parts.js';
import { textTree } from './text-tree.js';
import { UnsendableMessage } from './message-parts.js';

const PARTS: MessageParts = {
  messageId: 'm1@ex.com',
  date: new Date('2026-11-01T10:00:00Z'),
  from: { name: 'Acme', address: 'news@ex.com' },
  to: [{ name: '', address: 'b@ex.org' }],
  cc: [],
  replyTo: [],
  subject: 'Hello',
  text: 'Hello.\n',
  headers: [],
  attachments: [],
  boundarySeed: 'em_1',
};

const IMAGE: MessageAttachment = {
  filename: 'logo.png',
  contentType: 'image/png',
  contentId: 'logo',
  content: Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 13, 10, 13]),
};
const FILE: MessageAttachment = {
  filename: 'Größe "x" 山.pdf',
  contentType: 'application/pdf',
  content: Buffer.from('%PDF-1.7\n\0'),
};

/** The result of Python's parser: addresses, subject, header names, and the tree with decoded contents. */
const PYTHON_READER = `
import sys, json, base64, email, email.header, email.utils, hashlib
from email import policy
def tree(part):
    kind = part.get_content_type()
    if part.is_multipart():
        return [kind, [tree(child) for child in part.iter_parts()]]
    content = part.get_payload(decode=True)
    text = part.get_content() if kind in ('text/plain', 'text/html') and not part.get_filename() else None
    return [kind, {'text': text, 'hash': hashlib.sha256(content).hexdigest(), 'name': part.get_filename(), 'cid': part['content-id']}]
def boxes(field):
    # email.headerregistry of Python 3.11 puts spaces between the encoded words of one name, email.header does not
    if field is None: return []
    pairs = email.utils.getaddresses([str(field).replace('\\r\\n', '')])
    return [[str(email.header.make_header(email.header.decode_header(name))), address] for name, address in pairs]
answers = []
for text in json.load(sys.stdin):
    message = email.message_from_bytes(base64.b64decode(text), policy=policy.SMTPUTF8)
    plain = email.message_from_bytes(base64.b64decode(text))
    answers.append({
        'names': [name.lower() for name in message.keys()], 'subject': message['subject'],
        'from': boxes(plain['from']), 'to': boxes(plain['to']), 'cc': boxes(plain['cc']), 'reply_to': boxes(plain['reply-to']),
        'defects': [type(d).__name__ for part in message.walk() for d in part.defects], 'tree': tree(message),
        'custom': message['x-custom'],
    })
print(json.dumps(answers))
`;

interface PythonView {
  names: string[];
  subject: string;
  from: [string, string][];
  to: [string, string][];
  cc: [string, string][];
  reply_to: [string, string][];
  defects: string[];
  tree: unknown;
  custom: string | null;
}

function readWithPython(messages: Buffer[]): PythonView[] {
  const input = JSON.stringify(messages.map((message) => message.toString('base64')));
  return JSON.parse(
    execFileSync('python3', ['-c', PYTHON_READER], { input, encoding: 'utf8', maxBuffer: 1e9 }),
  ) as PythonView[];
}

function pythonRuns(): boolean {
  try {
    execFileSync('python3', ['-c', 'import email, json'], { stdio: 'ignore' });
    return true;
  } catch {
    return false;
  }
}

const hasPython = pythonRuns();
const required = process.env.POSTLOFT_REQUIRE_ENGINES === '1';

function expectWireForm(message: Buffer): void {
  const text = message.toString('latin1');
  expect(text.endsWith('\r\n')).toBe(true);
  expect(text).not.toMatch(/\r(?!\n)|(?<!\r)\n|\0/);
  for (const line of text.split('\r\n')) {
    expect(line.length).toBeLessThanOrEqual(998);
    // RFC 2047 section 2.
    if (/=\?[^?\s]+\?[bq]\?/i.test(line)) expect(line.length, line).toBeLessThanOrEqual(76);
    expect(line).not.toMatch(/^From |^\.$/);
  }
}

describe('composeMessage', () => {
  it('writes each field once, in a fixed order', async () => {
    const message = await composeMessage({
      ...PARTS,
      cc: [{ name: 'Jürgen', address: 'j@ex.org' }],
      replyTo: [{ name: 'Acme, Inc.', address: 'help@ex.com' }],
      html: '<p>Hello</p>',
      headers: [['X-Custom', 'one']],
    });
    expect(message.toString()).toBe(
      [
        'From: Acme <news@ex.com>',
        'To: b@ex.org',
        'Cc: =?UTF-8?Q?J=C3=BCrgen?= <j@ex.org>',
        'Reply-To: "Acme, Inc." <help@ex.com>',
        'Subject: Hello',
        'Message-ID: <m1@ex.com>',
        'Date: Sun, 01 Nov 2026 10:00:00 +0000',
        'X-Custom: one',
        'MIME-Version: 1.0',
        'Content-Type: multipart/alternative;',
        ' boundary="=_-e3f0"',
        '',
        '--=_-e3f0',
        'Content-Type: text/plain; charset=utf-8',
        'Content-Transfer-Encoding: 7bit',
        '',
        'Hello.',
        '',
        '--=_-e3f0',
        'Content-Type: text/html; charset=utf-8',
        'Content-Transfer-Encoding: 7bit',
        '',
        '<p>Hello</p>',
        '--=_-e3f0--',
        '',
      ]
        .join('\r\n')
        .replaceAll('e3f0', /=_-([0-9a-f]{24})/.exec(message.toString())?.[1] ?? ''),
    );
  });

  it.each([[[]], [[FILE]], [[IMAGE, FILE]]])('returns the same bytes for the same parts', async (attachments) => {
    const parts = { ...PARTS, html: '<p>Grüße</p>', attachments };
    expect(await composeMessage(parts)).toEqual(await composeMessage(structuredCloneWithBuffers(parts)));
    const other = await composeMessage({ ...parts, boundarySeed: 'em_2' });
    expect(other).not.toEqual(await composeMessage(parts));
  });

  it('writes undisclosed-recipients where all recipients are Bcc', async () => {
    const message = (await composeMessage({ ...PARTS, to: [] })).toString();
    expect(message).toContain('\r\nTo: undisclosed-recipients:;\r\n');
  });

  it.each([
    ['a subject with CRLF', { subject: 'x\r\nBcc: e@v.example' }],
    ['a subject with NUL', { subject: 'x\0' }],
    ['a subject with U+2028', { subject: 'x\u2028y' }],
    ['a subject with U+0085', { subject: 'x\u0085y' }],
    ['a subject that is an object', { subject: { prepared: true, value: 'a\r\nX: 1' } }],
    ['a name with LF', { from: { name: 'x\ny', address: 'a@ex.com' } }],
    ['an address with CRLF', { to: [{ name: '', address: 'b@ex.org\r\nBcc: e@v.example' }] }],
    ['two addresses in one', { to: [{ name: '', address: 'b@ex.org, c@ex.org' }] }],
    ['a name in the address', { to: [{ name: '', address: 'B <b@ex.org>' }] }],
    ['an address object', { to: [{ name: '', address: { toString: (): string => 'b@ex.org' } }] }],
    ['a message id with CRLF', { messageId: 'x\r\nBcc: e@v.example' }],
    ['an impossible date', { date: new Date(Number.NaN) }],
    ['a header value with LF', { headers: [['X-A', 'a\nBcc: e@v.example']] }],
    ['a header value that is an object', { headers: [['X-A', { prepared: true, value: 'a\r\nX: 1' }]] }],
    ['a header value that is a list', { headers: [['X-A', ['a', 'b']]] }],
    ['a header name with colon', { headers: [['X-A: b\r\nX-B', 'a']] }],
    ['a header name with space', { headers: [['Subject ', 'a']] }],
    ['an empty header name', { headers: [['', 'a']] }],
    ['a header name in UTF-8', { headers: [['Ünï', 'a']] }],
    ['the same header twice', { headers: [['X-A', 'a'], ['x-a', 'b']] }], // oxfmt-ignore
    ['an unbroken structured header', { headers: [['List-Unsubscribe', `<https://ex.com/${'a'.repeat(1_000)}>`]] }],
    ['a text that is an object', { text: { path: '/etc/passwd' } }],
    ['an html that is an object', { html: { href: 'http://127.0.0.1/' } }],
    ['content that is an object', { attachments: [{ ...FILE, content: { path: '/etc/passwd' } }] }],
    ['content that is text', { attachments: [{ ...FILE, content: 'data:text/plain,x' }] }],
    ['a file name with CRLF', { attachments: [{ ...FILE, filename: 'a"\r\nX: 1' }] }],
    ['a content type with CRLF', { attachments: [{ ...FILE, contentType: 'text/plain\r\nX: 1' }] }],
    ['a multipart as attachment', { attachments: [{ ...FILE, contentType: 'multipart/mixed; boundary=x' }] }],
    ['a message as attachment', { attachments: [{ ...FILE, contentType: 'message/rfc822' }] }],
    ['a content id with bracket', { attachments: [{ ...IMAGE, contentId: 'a>\r\nX: 1' }] }],
  ])('refuses %s', async (_what, wrong) => {
    await expect(composeMessage({ ...PARTS, ...(wrong as Partial<MessageParts>) })).rejects.toThrow(UnsendableMessage);
  });

  it('accepts one Reply-To with one mailbox among the headers', async () => {
    const headers: MessageParts['headers'] = [['reply-to', 'Hilfe für alle <help@ex.com>']];
    const message = (await composeMessage({ ...PARTS, headers })).toString();
    expect(message).toContain('\r\nReply-To: =?UTF-8?Q?Hilfe_f=C3=BCr_alle?= <help@ex.com>\r\n');
    await expect(composeMessage({ ...PARTS, headers, replyTo: PARTS.to })).rejects.toThrow(UnsendableMessage);
    expect(headerProblem('Reply-To', 'a@ex.com, b@ex.com')).toBeDefined();
  });

  it.each([
    ['Disposition-Notification-To', 'Jürgen Schmidt <j@ex.com>', '=?UTF-8?Q?J=C3=BCrgen_Schmidt?= <j@ex.com>'],
    ['Mail-Followup-To', 'a@ex.com, "B,  C" <b@ex.com>', 'a@ex.com, "B,  C" <b@ex.com>'],
    ['Errors-To', 'j@bücher.example', 'j@xn--bcher-kva.example'],
    ['List-Id', 'Küche für alle <k.ex.com>', '=?UTF-8?Q?K=C3=BCche_f=C3=BCr_alle?= <k.ex.com>'],
    ['Errors-To', '=?q <a=?b@ex.com>, c=?d@ex.com', '=?UTF-8?B?PT9x?= <a=?b@ex.com>, c=?d@ex.com'],
    ['Return-Receipt-To', '"=?x" <a@ex.com> (=?y)', '=?UTF-8?B?PT94?= <a@ex.com> (=?UTF-8?B?PT95?=)'],
    ['Mail-Reply-To', '=?utf-8?q?=C3=BC?= ü <a@ex.com>', '=?UTF-8?B?PT91dGYtOD9xPz1DMz1CQz89IMO8?= <a@ex.com>'],
  ])('encodes the names in %s, never its addresses', async (name, value, expected) => {
    expect(headerProblem(name, value)).toBeUndefined();
    const message = (await composeMessage({ ...PARTS, headers: [[name, value]] })).toString();
    expect(message.replace(/\r\n(?= )/g, '')).toContain(`\r\n${name}: ${expected}\r\n`);
  });

  it('composes 10 MB of short lines, and a file of 10 MB, in linear time', async () => {
    const attachments = [{ ...FILE, content: Buffer.alloc(10_000_000, 7) }];
    const text = 'ü\n'.repeat(3_300_000);
    expect((await composeMessage({ ...PARTS, text, attachments })).length).toBeGreaterThan(20_000_000);
  });
});

describe('headerProblem', () => {
  it.each(
    ['From', 'TO', 'bcc', 'Sender', 'Subject', 'Date', 'Message-ID', 'Return-Path', 'Received', 'MIME-Version'].concat(
      ['Content-Type', 'content-x', 'DKIM-Signature', 'ARC-Seal', 'Authentication-Results', 'X-Service-Track'],
      ['Resent-From', 'Delivered-To', 'Apparently-To', 'X-Original-To', 'Subject ', ' From', 'Fröm', 'a:b'],
    ),
  )('refuses the name %j', (name) => {
    expect(headerProblem(name, 'x')).toBeDefined();
  });

  it.each(['X-A', 'Precedence', 'List-Unsubscribe', 'In-Reply-To', 'Auto-Submitted', 'Feedback-ID'])(
    'allows %s',
    (name) => {
      expect(headerProblem(name, 'x')).toBeUndefined();
    },
  );

  it.each([
    ['Errors-To', 'Jürgen <jürgen@ex.com>', 'must be ASCII but for names and comments'],
    ['List-Id', 'Küche <küche.ex.com>', 'must be ASCII but for names and comments'],
    ['List-Unsubscribe', '<https://ex.com/ü>', 'must be ASCII'],
    ['Precedence', 'bülk', 'must be ASCII'],
  ])('refuses %s: %s', (name, value, problem) => {
    expect(headerProblem(name, value)).toBe(problem);
  });
});

describe('composeMessage, read by Python', () => {
  it.runIf(required)('has Python at hand', () => {
    expect(hasPython).toBe(true);
  });

  const plain = 'text/plain';
  const html = 'text/html';
  const shapes: [parts: Partial<MessageParts>, kinds: string][] = [
    [{}, plain],
    [{ text: undefined }, plain],
    [{ text: undefined, html: 'h' }, html],
    [{ html: 'h' }, `multipart/alternative(${plain},${html})`],
    [{ attachments: [FILE] }, `multipart/mixed(${plain},application/pdf)`],
    [{ html: 'h', attachments: [FILE] }, `multipart/mixed(multipart/alternative(${plain},${html}),application/pdf)`],
    [{ html: 'h', attachments: [IMAGE] }, `multipart/alternative(${plain},multipart/related(${html},image/png))`],
    [
      { html: 'h', attachments: [IMAGE, FILE] },
      `multipart/mixed(multipart/alternative(${plain},multipart/related(${html},image/png)),application/pdf)`,
    ],
    [{ text: undefined, attachments: [FILE] }, 'application/pdf'],
  ];

  it.skipIf(!hasPython)('has the tree that readers expect', async () => {
    const views = readWithPython(await Promise.all(shapes.map(([parts]) => composeMessage({ ...PARTS, ...parts }))));
    for (const [index, [, kinds]] of shapes.entries()) {
      expect(kindsOf(views[index].tree)).toBe(kinds);
      expect(views[index].defects).toEqual([]);
    }
  });

  it.skipIf(!hasPython)('has the same tree without files as nodemailer would build', async () => {
    const bodies = ['', 'plain\r\n', 'Grüße\r\nFrom x\r\n.\r\n', `${'long '.repeat(60)}\r\n`, '山田太郎\r\n'.repeat(9)];
    const pairs = bodies.flatMap((text) => bodies.map((html) => ({ text, html, boundary: 'b0' })));
    const whole = ({ fields, body }: { fields: string; body: Buffer }) =>
      Buffer.concat([Buffer.from(`MIME-Version: 1.0\r\n${fields}\r\n`), body]);
    const own = readWithPython(pairs.map(({ text, html, boundary }) => whole(textTree(text, html, boundary))));
    const theirs = await Promise.all(pairs.map((parts) => attachmentTree({ ...parts, attachments: [] })));
    const treeOf = ({ tree, defects }: PythonView) => ({ kinds: kindsOf(tree), texts: textsOf(tree), defects });
    expect(own.map(treeOf)).toEqual(readWithPython(theirs.map(whole)).map(treeOf));
  });

  it.skipIf(!hasPython)('gives files back byte by byte under their names', async () => {
    const names = [
      'a.txt',
      'Größe "x" 山.pdf',
      'a;b=c.pdf',
      "it's (1).pdf",
      '=?utf-8?q?x?=.pdf',
      `${'長'.repeat(60)}.pdf`,
      '\\x.pdf',
    ];
    const files = names.map((filename) => ({ ...FILE, filename }));
    const [view] = readWithPython([await composeMessage({ ...PARTS, attachments: files })]);
    const [, children] = view.tree as [string, [string, { name: string; hash: string }][]];
    expect(children.slice(1).map(([, leaf]) => leaf.name)).toEqual(names);
    expect(new Set(children.slice(1).map(([, leaf]) => leaf.hash)).size).toBe(1);
  });

  it.skipIf(!hasPython)('shows random subjects, names and texts as given', async () => {
    const character = fc.oneof(
      { weight: 6, arbitrary: fc.string({ unit: 'grapheme-composite', minLength: 1, maxLength: 1 }) },
      fc.constantFrom(' ', '  ', '=?', '?=', '"', '\\', ',', '<', '>', '@', '=', '_', 'From ', '.'),
    );
    const line = fc
      .array(character, { minLength: 1, maxLength: 60 })
      .map((all) => all.join('').replace(/[\p{C}\p{Zl}\p{Zp}]/gu, ''));
    const body = fc.array(fc.oneof(line, fc.constantFrom('.', 'From x', '', ' ', '--=_-')), { maxLength: 12 });
    const samples = fc.sample(fc.record({ subject: line, name: line, text: body, html: body }), {
      numRuns: 150,
      seed: 7,
    });
    const messages = await Promise.all(
      samples.map(({ subject, name, text, html: markup }) =>
        composeMessage({
          ...PARTS,
          subject,
          from: { name: name.trim(), address: 'news@ex.com' },
          to: [{ name: name.trim(), address: 'b@ex.org' }, ...PARTS.to],
          text: `${text.join('\n')}\n`,
          html: `<p>${markup.join('\r\n')}</p>\n`,
          headers: [['X-Custom', `x${subject}x`]],
        }),
      ),
    );
    messages.forEach(expectWireForm);
    for (const [index, view] of readWithPython(messages).entries()) {
      const { subject, name, text, html: markup } = samples[index];
      expect(view.subject).toBe(subject);
      expect(view.custom).toBe(`x${subject}x`);
      expect(view.from).toEqual([[name.trim(), 'news@ex.com']]);
      expect(view.to).toEqual([
        [name.trim(), 'b@ex.org'],
        ['', 'b@ex.org'],
      ]);
      expect(view.defects).toEqual([]);
      const [, [[, first], [, second]]] = view.tree as [string, [string, { text: string }][]];
      expect(first.text.replaceAll('\r\n', '\n')).toBe(`${text.join('\n')}\n`);
      expect(second.text.replaceAll('\r\n', '\n')).toBe(`<p>${markup.join('\n')}</p>\n`);
    }
  });

  it.skipIf(!hasPython)('keeps extremes within the line limit and readable', async () => {
    const extremes = [
      'x'.repeat(998),
      '長'.repeat(998),
      `${'a '.repeat(498)}b`,
      '"'.repeat(500),
      '=?utf-8?q?=0d=0aBcc:_e@v?=',
      '%0d%0aBcc: x',
    ];
    const messages = await Promise.all(
      extremes.map((text) =>
        composeMessage({
          ...PARTS,
          subject: text,
          from: { name: text, address: 'news@ex.com' },
          text: `${text}\n`,
          headers: [['X-Custom', text]],
        }),
      ),
    );
    messages.forEach(expectWireForm);
    for (const [index, view] of readWithPython(messages).entries()) {
      expect(view.subject).toBe(extremes[index]);
      expect(view.from).toEqual([[extremes[index], 'news@ex.com']]);
      expect(view.custom).toBe(extremes[index]);
      expect(view.names).toEqual(
        'from to subject message-id date x-custom mime-version content-type content-transfer-encoding'.split(' '),
      );
    }
  });
});

function kindsOf(tree: unknown): string {
  const [kind, below] = tree as [string, unknown];
  return Array.isArray(below) ? `${kind}(${below.map(kindsOf).join(',')})` : kind;
}

function textsOf(tree: unknown): string[] {
  const [, below] = tree as [string, unknown];
  if (Array.isArray(below)) return below.flatMap(textsOf);
  return [(below as { text: string }).text.replaceAll('\r\n', '\n').trimEnd()];
}

function structuredCloneWithBuffers(parts: MessageParts): MessageParts {
  return { ...parts, attachments: parts.attachments.map((file) => ({ ...file, content: Buffer.from(file.content) })) };
}
