import { describe, expect, it } from 'vitest';
import { filled, HOSTILE_MESSAGES } from '../../../../test/support/samples/hostile-mail.js';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { composeMessage } from '../compose/compose-message.js';
import { decodeTransferEncoding } from './transfer-encoding.js';
import { findFiles, type FoundFile } from './find-files.js';

const message = (...lines: string[]) => Buffer.from(lines.join('\r\n'));

function found(...lines: string[]): FoundFile[] {
  const files = findFiles(message(...lines));
  if ('problem' in files) throw new Error(files.problem);
  return files;
}

function problem(...lines: string[]): string {
  const files = findFiles(message(...lines));
  return 'problem' in files ? files.problem : '';
}

const names = (...lines: string[]): string[][] => found(...lines).map((file) => file.names);

/** The lines of a multipart with these parts. */
const mixed = (...parts: string[][]): string[] => [
  'Content-Type: multipart/mixed; boundary=b',
  '',
  ...parts.flatMap((part) => ['--b', ...part]),
  '--b--',
  '',
];

describe('findFiles', () => {
  it('finds the files of the composer, with their bytes', async () => {
    const content = Buffer.from(Array.from({ length: 1_000 }, (_, i) => i % 256));
    const composed = await composeMessage({
      messageId: 'm1@ex.com',
      date: new Date('2026-11-01T10:00:00Z'),
      from: { name: '', address: 'news@ex.com' },
      to: [{ name: '', address: 'b@ex.org' }],
      cc: [],
      replyTo: [],
      subject: 'Hello',
      html: '<img src="cid:logo">',
      text: 'Hello',
      headers: [],
      attachments: [
        { filename: 'Größe "x" 山.pdf', contentType: 'application/pdf', content },
        { filename: 'logo.png', contentType: 'image/png', contentId: 'logo', content },
      ],
      boundarySeed: 'em_1',
    });
    const files = findFiles(composed) as FoundFile[];
    expect(files.map((file) => file.names.sort())).toEqual([['logo.png'], ['Größe "x" 山.pdf']]);
    for (const { encoded, encoding } of files) expect(decodeTransferEncoding(encoded, encoding)).toEqual(content);
  });

  it('does not take quoted parentheses for a comment', () => {
    const head = 'Content-Type: multipart/mixed; boundary="=_ b 2 (x)"';
    const part = ['Content-Disposition: attachment; filename="a (1).pdf"', '', 'x'];
    expect(names(head, '', '--=_ b 2 (x)', ...part, '--=_ b 2 (x)--', '')).toEqual([['a (1).pdf']]);
  });

  it('finds nothing in mail without files', () => {
    expect(found('Subject: x', '', 'Hello')).toEqual([]);
    expect(found('Content-Type: text/html', 'Content-Disposition: inline', '', '<p>')).toEqual([]);
    expect(found(...mixed(['Content-Type: text/calendar; method=REQUEST', '', 'BEGIN:VCALENDAR']))).toEqual([]);
    expect(found(...mixed(['Content-Type: application/x-unnamed', '', '?']))).toEqual([]);
  });

  it('takes a part with a name, or an attached one, for a file', () => {
    expect(names('Content-Disposition: attachment', '', 'x')).toEqual([[]]);
    expect(names('content-disposition: ATTACHMENT (c)', '', 'x')).toEqual([[]]);
    expect(names('Content-Disposition: inline; filename=a.png', '', 'x')).toEqual([['a.png']]);
    expect(names('Content-Type: text/plain; name=a.txt', '', 'x')).toEqual([['a.txt']]);
    expect(names('Content-Type:', '\tapplication/pdf;', '\tname="a.pdf"', '', 'x')).toEqual([['a.pdf']]);
    expect(
      names(...mixed(['Content-Type : x/y', 'nonsense', 'Content-Disposition : attachment; filename=a', '', ''])),
    ).toEqual([['a']]);
  });

  it('returns every name that some reader shows', () => {
    const of = (disposition: string, type = 'Content-Type: application/octet-stream') =>
      names(`Content-Disposition: ${disposition}`, type, '', 'x')[0].toSorted();
    expect(of("attachment; filename=a.exe; filename*=utf-8''b.pdf")).toEqual(['a.exe', 'b.pdf']);
    expect(of('attachment; filename=a.pdf; filename=b.exe')).toEqual(['a.pdf', 'b.exe']);
    expect(of('attachment; filename=a.pdf', 'Content-Type: application/pdf; name=b.exe')).toEqual(['a.pdf', 'b.exe']);
    expect(of('attachment; (c) filename=b.exe (d)')).toEqual(['b.exe', 'b.exe (d)']);
    expect(of('attachment; filename=short.pdf; filename*0=lo; filename*1=ng.exe')).toContain('long.exe');
    expect(of("attachment; filename*0*=utf-8''%e2%82; filename*1*=%ac.exe")).toEqual(['€.exe']);
    expect(of('attachment; filename="=?utf-8?B?4oKsLmV4ZQ==?="')).toEqual(['€.exe']);
  });

  it('takes a multipart with a name for a file, because some readers do not find its boundary', () => {
    const named = 'Content-Type: multipart/mixed; boundary=b; name=a.exe';
    expect(names(named, '', 'x')).toEqual([['a.exe']]);
    expect(names(named, '', '--b', 'Content-Type: text/plain; name=b.txt', '', 'x')).toEqual([['b.txt'], ['a.exe']]);
    expect(names('Content-Type: multipart/mixed; boundary=b', 'Content-Disposition: inline', '', '--b')).toEqual([]);
  });

  it('finds files of forwarded messages, which are files themselves only with a name', () => {
    const forwarded = ['Subject: inner', ...mixed(['Content-Type: application/pdf; name=in.pdf', '', '%PDF'])];
    expect(names(...mixed(['Content-Type: message/rfc822', 'Content-Disposition: inline', '', ...forwarded]))).toEqual([
      ['in.pdf'],
    ]);
    const [file] = found(...mixed(['Content-Type: message/rfc822; name="x.eml"', '', ...forwarded]));
    expect(file).toMatchObject({ names: ['x.eml'], contentType: 'message/rfc822' });
  });

  it('does not take the signature of a signed mail for a file, but anything else in its place', () => {
    const signed = (type: string, body: string, protocol = type) => [
      `Content-Type: multipart/signed; protocol="${protocol}"; micalg=sha-256; boundary=b`,
      '',
      '--b',
      'Content-Type: text/plain; name=text.txt',
      '',
      'Hello',
      '--b',
      `Content-Type: ${type}; name=smime.p7s`,
      'Content-Transfer-Encoding: base64',
      'Content-Disposition: attachment; filename=smime.p7s',
      '',
      Buffer.from(body, 'latin1').toString('base64'),
      '--b--',
    ];
    const pgp = '-----BEGIN PGP SIGNATURE-----\n\niQ==\n-----END PGP SIGNATURE-----\n';
    expect(names(...signed('application/pkcs7-signature', '\x30\x82\x01'))).toEqual([['text.txt']]);
    expect(names(...signed('application/pgp-signature', pgp))).toEqual([['text.txt']]);
    expect(names(...signed('application/pgp-signature', 'MZ'))).toHaveLength(2);
    expect(names(...signed('application/pkcs7-signature', '\x30', 'application/pgp-signature'))).toHaveLength(2);
    expect(names(...signed('application/pdf', '%PDF'))).toHaveLength(2);
  });

  it.each([
    ['201 parts', mixed(...Array.from({ length: 200 }, () => ['', 'x']))],
    ['a part with two types', mixed(['Content-Type: a/b', 'content-type: c/d', '', 'x'])],
    [
      'a part with two dispositions',
      mixed(['Content-Disposition: inline', 'Content-Disposition: attachment', '', 'x']),
    ],
    ['a part with 65 kB of headers', mixed([`X: ${'a'.repeat(66_000)}`, 'Content-Disposition: attachment', '', 'x'])],
    ['a part with 1,001 headers', mixed([...Array<string>(1_001).fill('X: a'), '', 'x'])],
    ['a multipart without boundary', ['Content-Type: multipart/mixed', '', 'x']],
    ['a multipart with two boundaries', ["Content-Type: multipart/mixed; boundary=a; boundary*=utf-8''b", '', 'x']],
    [
      'an encoded multipart',
      ['Content-Type: multipart/mixed; boundary=b', 'Content-Transfer-Encoding: base64', '', 'LS1i'],
    ],
    ['a multipart behind a comment', ['Content-Type: (c) multipart/mixed; boundary=b', '', '--b', '', 'x']],
    ['a multipart with a blank in its type', ['Content-Type: multipart / mixed; boundary=b', '', '--b', '', 'x']],
    ['a quote within a name', ['Content-Disposition: attachment; filename=x"b.exe"', '', 'x']],
    ['a quote without end', ['Content-Disposition: attachment; filename="a.txt; filename=b.exe', '', 'x']],
    ['a section without the first', ['Content-Disposition: attachment; filename=a.; filename*1=b.exe', '', 'x']],
    ['a section twice', ['Content-Disposition: attachment; filename*0=a; filename*0=b.exe', '', 'x']],
    ['an encoded name twice', ["Content-Disposition: attachment; filename*=utf-8''a; filename*=utf-8''b.exe", '', 'x']],
    ['an encoded message', mixed(['Content-Type: message/rfc822', 'Content-Transfer-Encoding: base64', '', 'x'])],
    ['a piece of a message', ['Content-Type: message/partial; id=a; number=1', '', 'x']],
    ['a file in an unknown encoding', ['Content-Disposition: attachment', 'Content-Transfer-Encoding: x-uue', '', 'x']],
    [
      'base64 behind its pad',
      ['Content-Disposition: attachment', 'Content-Transfer-Encoding: base64', '', 'JVBERg==', 'TVo='],
    ],
    ['201 parameters', [`Content-Disposition: attachment; ${'a=b; '.repeat(200)} filename=a.exe`, '', 'x']],
    [
      'five names',
      [`Content-Disposition: attachment; ${['a', 'b', 'c', 'd', 'e'].map((n) => `filename=${n}`).join(';')}`, '', 'x'],
    ],
  ])('refuses %s', (_what, lines) => {
    expect(problem(...lines)).toMatch(/^message (has|is) /);
  });

  it('refuses more than 20 levels', () => {
    const nested = (depth: number) =>
      Array.from({ length: depth }, (_, level) => [
        `Content-Type: multipart/mixed; boundary=b${level}e`,
        '',
        `--b${level}e`,
      ]).flat();
    expect(problem(...nested(20), '', 'deep')).toBe('');
    expect(problem(...nested(21), '', 'deep')).toMatch(/levels/);
    const messages = (depth: number) =>
      Array.from({ length: depth }, () => ['Content-Type: message/rfc822', '']).flat();
    expect(problem(...messages(20), 'Subject: x', '', 'deep')).toBe('');
    expect(problem(...messages(2_000), '', 'deep')).toMatch(/levels/);
  });

  it.each([' ', '\t', '"', '(', ')', '<', '@', ';', '=', '/', '=?', '\\'])(
    'reads 20 parts whose Content-Type is 60 kB of %j',
    (piece) => {
      const run = piece.repeat(60_000 / piece.length);
      const parts = ['Content-Type: text/plain', 'Content-Disposition: attachment'].map((field) => [
        `${field}${run}x`,
        '',
        'a',
      ]);
      const many = Array.from({ length: 20 }, () => parts).flat();
      expect(mustReturn(() => findFiles(message(...mixed(...many))))).toBeDefined();
    },
  );

  it.each(HOSTILE_MESSAGES)('reads 10 MB of %s in linear time', (_what, head, piece) => {
    expect(mustReturn(() => findFiles(filled(head, piece)))).toBeDefined();
  });
});
