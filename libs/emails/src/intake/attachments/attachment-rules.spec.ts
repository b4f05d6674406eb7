import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../../test/support/timing/must-return.js';
import { attachmentProblems, attachmentsFrom, forbiddenAttachments } from './attachment-rules.js';
import { ATTACHMENT_TYPES } from './attachment-types.js';

const PDF = Buffer.from('%PDF-1.4\n%%EOF\n').toString('base64');
const PNG = Buffer.from('\x89PNG\r\n\x1a\n', 'latin1').toString('base64');

describe('attachment names', () => {
  const INVALID: string[] = [
    ...['', ' ', '.', '..', 'a.', 'a ', 'a.pdf.', 'a.pdf ', '...'],
    ...['../a.pdf', '..\\a.pdf', '/etc/passwd', 'C:\\a.pdf', 'a/b.pdf', 'a\\b.pdf', '\\\\host\\share.pdf'],
    ...['\0', '\r', '\n', '\r\nBcc: a@b.c', '\t', '\x7f', '\u0085', '\u2028', '\u2029', '\x1b'].map((c) => `a${c}.pdf`),
    ...['\u202a', '\u202b', '\u202c', '\u202d', '\u202e', '\u2066', '\u2067', '\u2068', '\u2069'].map(
      (c) => `a${c}fdp.exe`,
    ),
    ...['con', 'CON.pdf', 'prn.txt', 'aux', 'NUL.pdf', 'nul.tar.pdf', 'com1.pdf', 'LPT9.txt', 'com¹.pdf'],
    ...[
      `${'a'.repeat(252)}.pdf`,
      `${'é'.repeat(126)}.pdf`,
      'a'.repeat(1000),
      '\ud800.pdf',
      '=?utf-8?q?x=2Eexe?=',
      'a=?utf-8?b?LmV4ZQ==?=.pdf',
    ],
  ];
  const VALID: string[] = [
    ...[
      'a.pdf',
      'A.PDF',
      'a.b.c.pdf',
      ' a.pdf',
      'a b.pdf',
      '.hidden.pdf',
      '-.pdf',
      '_.pdf',
      '~.pdf',
      'a;b.pdf',
      "it's.pdf",
    ],
    ...['"quoted".pdf', '(1).pdf', 'a=b.pdf', 'a%20b.pdf', '%0d%0aBcc: x.pdf', 'a:b.pdf', '100%.pdf'],
    ...[
      'Grüße.pdf',
      'e\u0301.pdf',
      '請求書.pdf',
      'счёт.pdf',
      'حساب.pdf',
      'a\u200f.pdf',
      '😀.pdf',
      '👨‍👩‍👧.pdf',
      'раypal.pdf',
    ],
    ...[
      'console.pdf',
      'com10.pdf',
      'nullable.pdf',
      'auxiliary.pdf',
      `${'a'.repeat(251)}.pdf`,
      `${'é'.repeat(125)}.pdf`,
    ],
  ];

  it(`are refused if they are dangerous or malformed: ${INVALID.length} names`, () => {
    for (const filename of INVALID)
      expect(attachmentProblems([{ filename, content: PDF }]), JSON.stringify(filename)).toMatchObject([
        { path: '[0].filename', code: 'invalid_filename' },
      ]);
  });

  it(`are accepted unchanged: ${VALID.length} names`, () => {
    expect(INVALID.length + VALID.length).toBeGreaterThanOrEqual(80);
    for (const filename of VALID) {
      expect(attachmentProblems([{ filename, content: PDF }]), filename).toEqual([]);
      const [file] = attachmentsFrom([{ filename, content: PDF }]);
      expect(file.filename).toBe(filename);
    }
  });

  it('follow from the URL or the content where the interface allows that they are missing', () => {
    const entries = [
      { content: PNG },
      { content: Buffer.from('text').toString('base64'), filename: null },
      { path: 'https://files.example.com/2026/Gr%C3%BC%C3%9Fe.pdf?sig=x' },
      { path: 'https://files.example.com/download' },
      { path: 'https://files.example.com/%2e%2e%2fpasswd.txt', content_type: 'text/plain' },
    ];
    expect(attachmentProblems(entries).map((p) => p.code)).toEqual(Array(5).fill('required'));
    expect(attachmentsFrom(entries).map((file) => [file.filename, file.contentType])).toEqual([
      ['attachment-1.png', 'image/png'],
      ['attachment-2.txt', 'text/plain'],
      ['Grüße.pdf', 'application/pdf'],
      ['attachment-4', ''],
      ['attachment-5', 'text/plain'],
    ]);
  });
});

describe('attachment fields', () => {
  const entry = (over: object) => ({ filename: 'a.pdf', content: PDF, ...over });
  const problems = (...entries: unknown[]) => attachmentProblems(entries).map(({ path, code }) => `${path} ${code}`);

  it.each([
    ['the URL-safe alphabet', 'YW-_'],
    ['a missing pad', 'YWI'],
    ['half a pad', 'YQ='],
    ['a letter behind the pad', 'YQ==YQ=='],
    ['a pad in the middle', 'YQ=a'],
    ['three pads', 'Y==='],
    ['pads alone', '===='],
    ['a character of another alphabet', 'YW.Jj'],
    ['a data URL', 'data:application/pdf;base64,YWJj'],
    ['other letters', 'é234'],
    ['a number', 7],
    ['bytes as an array', [37, 80, 68, 70]],
  ])('refuse base64 with %s', (_what, content) => {
    expect(problems(entry({ content }))).toEqual(['[0].content invalid_base64']);
  });

  it.each([
    ['a space', 'YW Jj', 'abc'],
    ['line breaks', 'YWJj\r\nYWJj\r\n', 'abcabc'],
    ['a tab before the pad', 'YWI\t=\n', 'ab'],
    ['nothing', '', ''],
    ['white space alone', ' \r\n', ''],
  ])('read base64 with %s', (_what, content, text) => {
    const given = { filename: 'a.txt', content };
    expect(problems(given)).toEqual([]);
    const [file] = attachmentsFrom([given]);
    expect(file.content.toString()).toBe(text);
    expect(forbiddenAttachments([file])).toEqual([]);
  });

  it('accept an empty file of each allowed type, under its own name', () => {
    const files = attachmentsFrom(
      ATTACHMENT_TYPES.map(({ extensions: [end] }) => ({ filename: `a.${end}`, content: '' })),
    );
    expect(forbiddenAttachments(files)).toEqual([]);
    expect(forbiddenAttachments(attachmentsFrom([{ filename: 'a.exe', content: '' }]))).not.toEqual([]);
  });

  it('are checked in linear time: ten megabytes of padding, or of letters with an invalid one at the end', () => {
    const size = 10 * 1024 * 1024;
    const good = 'A'.repeat(size);
    for (const content of ['='.repeat(size), `${good.slice(0, -4)}AAA-`, 'A='.repeat(size / 2)])
      expect(mustReturn(() => problems(entry({ content })))).toEqual(['[0].content invalid_base64']);
  });

  it('require either content or path, and refuse paths to local files', () => {
    expect(problems(entry({ content: undefined }))).toEqual(['[0].content required']);
    expect(problems(entry({ path: 'https://example.com/a.pdf' }))).toEqual(['[0].path conflict']);
    const path = (value: unknown) => problems(entry({ content: undefined, path: value }));
    expect(path('https://example.com/a.pdf')).toEqual([]);
    for (const bad of [
      '/etc/passwd',
      'etc/passwd',
      'file:///etc/passwd',
      'data:text/plain,a',
      'ftp://example.com/a.pdf',
      '\\\\host\\a',
    ])
      expect(path(bad)[0], bad).toMatch(/^\[0\]\.path invalid_(url|scheme)$/);
    for (const bad of [{ href: 'x' }, ['https://example.com/a.pdf'], 7, true])
      expect(path(bad)).toEqual(['[0].path invalid_type']);
    expect(path('https://user:secret@example.com/a.pdf')).toEqual(['[0].path credentials_not_allowed']);
    expect(path('https://example.com:22/a.pdf')).toEqual(['[0].path port_not_allowed']);
  });

  it('accept the left side of a message id, and a whole one, as the id of an inline file', () => {
    const ids = [
      'ii_m3k+a$1',
      'image001.png@01D9C2B3.4F5E6A70',
      'part1.06090408@example.com',
      "!#$%&'*+-/=?^_`{|}~",
      'a@[192.0.2.1]',
    ];
    for (const id of [...ids, 'a'.repeat(128)]) expect(problems(entry({ content_id: id })), id).toEqual([]);
    for (const id of ['', 'a b', '<a@b>', 'a>', 'ä', 'a\r\nb', 'a"b', 'a(b)', 'a\\b', 'a,b', 'a'.repeat(129)])
      expect(problems(entry({ content_id: id })), id).toEqual(['[0].content_id invalid_value']);
  });

  it('report all problems at once, allow ten files, and require distinct content ids', () => {
    expect(problems({ content_type: 'x', content_id: 'a b' })).toEqual([
      '[0].filename required',
      '[0].content required',
      '[0].content_type invalid_value',
      '[0].content_id invalid_value',
    ]);
    expect(problems(...Array<object>(11).fill(entry({})))).toEqual([' too_many']);
    expect(problems(entry({ content_id: 'a' }), entry({ content_id: 'b' }), entry({ content_id: 'a' }))).toEqual([
      '[2].content_id duplicate',
    ]);
    expect(problems(7, null, 'x', [])).toEqual([0, 1, 2, 3].map((i) => `[${i}] invalid_type`));
    expect(attachmentProblems({ 0: entry({}) })).toHaveLength(1);
  });

  it('use the canonical type, with a charset for text only', () => {
    const typeOf = (content_type: string) => attachmentsFrom([{ ...entry({}), content_type }])[0].contentType;
    expect(typeOf('TEXT/CSV; header=present; charset="UTF-8"')).toBe('text/csv; charset=utf-8');
    expect(typeOf('application/x-zip-compressed')).toBe('application/zip');
    expect(typeOf('application/pdf; charset=utf-8; name="a"')).toBe('application/pdf');
    for (const bad of [
      'pdf',
      'a/b/c',
      'a/b\r\nX: 1',
      'a/b; x="y\r\nBcc: z"',
      'text/plain,',
      'a /b',
      `${'a'.repeat(200)}/b`,
    ])
      expect(problems(entry({ content_type: bad })), bad).toEqual(['[0].content_type invalid_value']);
  });
});

describe('the parameters of a content_type', () => {
  it.each([
    'application/pdf;',
    'application/pdf; ',
    'application/pdf;;',
    'application/pdf; name=',
    'application/pdf; name=""',
    'application/pdf; name',
    'application/pdf;name="Größe.pdf"',
    'application/pdf; name=счёт.pdf',
    "application/pdf; name*=UTF-8''%e2%82%ac%20rates.pdf",
    "application/pdf; name*0*=utf-8''a; name*1=b; name*2=c",
    `application/pdf; name="${'long '.repeat(1000)}.pdf"`,
    'application/pdf; a=1; b=2; c=3; d=4; e=5; f=6; g=7',
    'application/pdf; name="a \\" b; charset=x"',
    'application/pdf; name="unclosed',
    'application/pdf; name=a b(c)/d',
    'application/pdf\t;\tname=x',
    ' application/pdf ; name=x',
    'application/pdf; name="invoice @ 5 %.pdf"; x-unix-mode=0644',
  ])('are not checked, and dropped: %s', (content_type) => {
    const given = [{ filename: 'a.pdf', content: PDF, content_type }];
    expect(attachmentProblems(given)).toEqual([]);
    expect(attachmentsFrom(given)[0].contentType).toBe('application/pdf');
  });

  it.each([
    ['text/csv; charset=', 'text/csv'],
    ['text/csv; charset="UTF-8"', 'text/csv; charset=utf-8'],
    ['text/csv; name="x; charset=utf-7"; charset=latin1', 'text/csv; charset=latin1'],
    ['text/csv; name="x; charset=utf-7"', 'text/csv'],
    ['text/csv; charset=größe', 'text/csv'],
    ["text/csv; charset*=us-ascii'en'utf-8", 'text/csv; charset=utf-8'],
    ['text/csv; header=present;', 'text/csv'],
  ])('give the charset of text: %s', (content_type, sent) => {
    expect(attachmentsFrom([{ filename: 'a.csv', content: '', content_type }])[0].contentType).toBe(sent);
  });

  it.each([
    'pdf',
    'a/b/c',
    'a /b',
    '/b',
    'a/',
    ';',
    '',
    ' ',
    'a/b, c/d',
    'größe/pdf',
    'a/b\r\nX: 1',
    'a/b; x="y\r\nBcc: z"',
    'a/b; x=\0',
  ])('do not excuse what is no MIME type: %j', (content_type) => {
    expect(attachmentProblems([{ filename: 'a.pdf', content: '', content_type }])).toMatchObject([
      { path: '[0].content_type', code: 'invalid_value' },
    ]);
  });
});
