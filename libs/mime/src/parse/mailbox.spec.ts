import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { domainOf, normaliseAddress, parseMailbox, parseRecipient } from './mailbox.js';

const GOOD: [text: string, address: string, name: string][] = [
  ['a@example.com', 'a@example.com', ''],
  ['  a@example.com  ', 'a@example.com', ''],
  ['<a@example.com>', 'a@example.com', ''],
  ['Acme <a@example.com>', 'a@example.com', 'Acme'],
  ['Acme<a@example.com>', 'a@example.com', 'Acme'],
  ['John Q. Public <jqp@example.com>', 'jqp@example.com', 'John Q. Public'],
  ['"Acme, Inc." <a@example.com>', 'a@example.com', 'Acme, Inc.'],
  ['"Say \\"hi\\" \\\\ <b@c>" <a@example.com>', 'a@example.com', 'Say "hi" \\ <b@c>'],
  ['"" <a@example.com>', 'a@example.com', ''],
  ['Jürgen Müller <j@example.com>', 'j@example.com', 'Jürgen Müller'],
  ['山田太郎 <yamada@example.jp>', 'yamada@example.jp', '山田太郎'],
  ['=?utf-8?q?x?= <a@example.com>', 'a@example.com', '=?utf-8?q?x?='],
  ["o'neil+tag/x=y{z}@example.com", "o'neil+tag/x=y{z}@example.com", ''],
  ['First.Last@Example.COM', 'First.Last@example.com', ''],
  ['a@bücher.example', 'a@xn--bcher-kva.example', ''],
  ['a@BÜCHER.example', 'a@xn--bcher-kva.example', ''],
  ['a@xn--bcher-kva.example', 'a@xn--bcher-kva.example', ''],
  ['jörg@bücher.example', 'jörg@xn--bcher-kva.example', ''],
  ['用户@例え.jp', '用户@xn--r8jz45g.jp', ''],
  ['a@r3---sn.example.com', 'a@r3---sn.example.com', ''],
  [`${'a'.repeat(64)}@example.com`, `${'a'.repeat(64)}@example.com`, ''],
  ['a@1.example2.co', 'a@1.example2.co', ''],
];

const BAD: [what: string, text: string][] = [
  ['nothing', ''],
  ['spaces alone', '   '],
  ['no at sign', 'example.com'],
  ['a name alone', 'Acme'],
  ['an empty angle', 'Acme <>'],
  ['an empty local part', '@example.com'],
  ['an empty domain', 'a@'],
  ['a single-label domain', 'a@localhost'],
  ['two at signs', 'a@b@example.com'],
  ['a list', 'a@example.com, b@example.com'],
  ['a list without space', 'a@example.com,b@example.com'],
  ['a list with semicolon', 'a@example.com;b@example.com'],
  ['two angles', 'A <a@example.com> <b@example.com>'],
  ['an address before an angle', 'a@ok.example <e@evil.example>'],
  ['an address as unquoted name with comma', 'Acme, Inc. <a@example.com>'],
  ['a group', 'Friends: a@example.com, b@example.com;'],
  ['an empty group', 'undisclosed-recipients:;'],
  ['a comment behind', 'a@example.com (x)'],
  ['a comment before', '(x) a@example.com'],
  ['a comment in the name', 'Acme (x) <a@example.com>'],
  ['a comment hiding an address', 'a@ok.example (x) <e@evil.example>'],
  ['a comment inside the address', 'a(x)@example.com'],
  ['text behind the angle', 'A <a@example.com> x'],
  ['an unclosed angle', 'A <a@example.com'],
  ['an unopened angle', 'a@example.com>'],
  ['a source route', '<@relay.example:a@example.com>'],
  ['a quoted local part', '"a b"@example.com'],
  ['a quoted local part in an angle', 'A <"a b"@example.com>'],
  ['a quoted local part with at sign', '"x@y"@example.com'],
  ['an unclosed quote', '"Acme <a@example.com>'],
  ['a quote in the middle of the name', 'A "B" <a@example.com>'],
  ['two quoted strings', '"A" "B" <a@example.com>'],
  ['a quoted name without angle', '"A" a@example.com'],
  ['a trailing backslash', '"A\\'],
  ['an IPv4 literal', 'a@[127.0.0.1]'],
  ['an IPv6 literal', 'a@[IPv6:::1]'],
  ['a bare IPv4 address', 'a@127.0.0.1'],
  ['an all-digit top label', 'a@example.123'],
  ['a leading dot', '.a@example.com'],
  ['a trailing dot', 'a.@example.com'],
  ['a double dot', 'a..b@example.com'],
  ['a double dot in the domain', 'a@example..com'],
  ['a leading dot in the domain', 'a@.example.com'],
  ['a final dot in the domain', 'a@example.com.'],
  ['a leading hyphen in a label', 'a@-example.com'],
  ['a trailing hyphen in a label', 'a@example-.com'],
  ['an underscore in the domain', 'a@ex_ample.com'],
  ['a long label', `a@${'x'.repeat(64)}.com`],
  ['a broken A-label', 'a@xn--\u00fc.example'],
  ['a space in the local part', 'a b@example.com'],
  ['a space in the angle', 'A < a@example.com>'],
  ['a space in the domain', 'a@exam ple.com'],
  ['a percent sign in the domain', 'a@example%2ecom'],
  ['a local part of 65 octets', `${'a'.repeat(65)}@example.com`],
  ['a local part of 65 octets in UTF-8', `${'ü'.repeat(33)}@example.com`],
  ['an address of 255 octets', `ab@${'x'.repeat(60)}.${'y'.repeat(60)}.${'z'.repeat(60)}.${'w'.repeat(60)}.examplee`],
  ['CRLF with a header', 'a@example.com\r\nBcc: e@evil.example'],
  ['CRLF in the name', 'Acme\r\n <a@example.com>'],
  ['a lone LF', 'a@example.com\n'],
  ['a NUL', 'a\0@example.com'],
  ['a tab', 'A\t<a@example.com>'],
  ['a DEL', 'a\x7f@example.com'],
  ['a C1 control', 'a\x85@example.com'],
  ['a line separator', 'A\u2028 <a@example.com>'],
  ['a direction override in the name', 'A\u202egpj <a@example.com>'],
  ['a direction override in the local part', 'a\u202eb@example.com'],
  ['a direction isolate', 'A\u2066 <a@example.com>'],
  ['a zero width space in the local part', 'a\u200bb@example.com'],
  ['a soft hyphen in the domain', 'a@exam\u00adple.com'],
  ['a no-break space in the local part', 'a\u00a0b@example.com'],
  ['a lone surrogate in the name', 'A\ud800 <a@example.com>'],
  ['a lone surrogate in the local part', 'a\udc00@example.com'],
  ['a full-width at sign', 'a＠example.com'],
  ['far too much text', `${'x'.repeat(2_000)} <a@example.com>`],
];

const QUOTED: [text: string, address: string, name: string][] = [
  ['"a b"@example.com', '"a b"@example.com', ''],
  ['"a"@example.com', 'a@example.com', ''],
  ['"a.b"@Example.com', 'a.b@example.com', ''],
  ['"a\\b"@example.com', 'ab@example.com', ''],
  ['"a..b"@example.com', '"a..b"@example.com', ''],
  ['"\\"\\\\"@example.com', '"\\"\\\\"@example.com', ''],
  ['"a\\ b"@example.com', '"a b"@example.com', ''],
  ['"a,b;c"@example.com', '"a,b;c"@example.com', ''],
  ['"<a>"@bücher.example', '"<a>"@xn--bcher-kva.example', ''],
  ['"jörg m"@example.com', '"jörg m"@example.com', ''],
  ['<"a b"@example.com>', '"a b"@example.com', ''],
  ['Ada <"a>b"@example.com>', '"a>b"@example.com', 'Ada'],
  ['"Ada, B." <"a b"@example.com>', '"a b"@example.com', 'Ada, B.'],
  ['  "a b"@example.com ', '"a b"@example.com', ''],
];

const BAD_QUOTED: [what: string, text: string][] = [
  ['nothing in the quotes', '""@example.com'],
  ['a quote that is not closed', '"a b@example.com'],
  ['an @ in the quotes', '"x@y"@example.com'],
  ['an escaped @ in the quotes', '"x\\@y"@example.com'],
  ['an address beside text in the quotes', '"a@example.com b"@example.com'],
  ['a quote in the middle', 'a"b"@example.com'],
  ['text behind the quote', '"a"b@example.com'],
  ['two quoted strings', '"a"."b"@example.com'],
  ['a list', '"a b"@example.com, c@example.com'],
  ['two brackets', '<"a b"@example.com> <c@example.com>'],
  ['a control character', '"a\tb"@example.com'],
  ['a line end', '"a\r\nb"@example.com'],
  ['an invisible character', '"a\u200bb"@example.com'],
  ['a no-break space', '"a\u00a0b"@example.com'],
  ['a backslash at its end', '"a\\"@example.com'],
  ['more than 64 octets', `"${'a '.repeat(32)}"@example.com`],
  ['no domain', '"a b"@'],
];

describe('parseRecipient', () => {
  it.each([...GOOD, ...QUOTED])('accepts %j', (text, address, name) => {
    expect(parseRecipient(text)).toEqual({ address, name });
  });

  it.each(QUOTED)('reads the form that it returned for %j as the same', (text, address) => {
    expect(parseRecipient(address)).toEqual({ address, name: '' });
    expect(normaliseAddress(text.replace(/^[^"<]*<|>$/g, ''))).toMatch(/@/);
    expect(normaliseAddress(address)).toBe(address.toLowerCase());
  });

  it.each([...BAD.filter(([what]) => !what.startsWith('a quoted local part')), ...BAD_QUOTED])(
    'refuses %s',
    (_what, text) => {
      expect(parseRecipient(text)).toHaveProperty('problem');
    },
  );

  it.each(QUOTED)('is the only one that accepts %j', (text) => {
    expect(parseMailbox(text)).toEqual({ problem: 'must not have a quoted local part' });
  });
});

describe('a quoted local part', () => {
  it.each([
    ['"a"@Example.com', 'a@example.com'],
    ['"A.B"@example.com', 'a.b@example.com'],
    ['"a\\ b"@example.com', '"a b"@example.com'],
    ['"a"b@example.com', '"a"b@example.com'],
  ])('%j is the address %j', (written, address) => {
    expect(normaliseAddress(written)).toBe(address);
  });
});

describe('parseMailbox', () => {
  it.each(GOOD)('accepts %j', (text, address, name) => {
    expect(parseMailbox(text)).toEqual({ address, name });
  });

  it.each(BAD)('refuses %s', (_what, text) => {
    expect(parseMailbox(text)).toHaveProperty('problem');
  });

  it.each([[null], [undefined], [{}], [['a@example.com']], [7]])('refuses %j, which is not text', (value) => {
    expect(parseMailbox(value as unknown as string)).toHaveProperty('problem');
  });

  it('returns only addresses that it accepts unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme-composite', maxLength: 12 }), fc.boolean(), (noise, angle) => {
        const read = parseMailbox(angle ? `${noise} <${noise}@example.com>` : `${noise}@example.com`);
        if ('problem' in read) return;
        expect(parseMailbox(read.address)).toEqual({ address: read.address, name: '' });
        expect(read.address.split('@')).toHaveLength(2);
      }),
      { numRuns: 300 },
    );
  });

  it.each(['<', '"', '\\', '(', '@', ',', ' ', 'a.'])('reads 10 MB of %j in linear time', (piece) => {
    const hostile = piece.repeat(10_000_000 / piece.length);
    expect(mustReturn(() => parseMailbox(hostile))).toHaveProperty('problem');
  });
});

describe('normaliseAddress', () => {
  it('converts spellings of one address to the same form', () => {
    expect(normaliseAddress('  Foo.Bar@BÜCHER.example ')).toBe('foo.bar@xn--bcher-kva.example');
    expect(normaliseAddress('foo.bar@xn--BCHER-kva.example')).toBe('foo.bar@xn--bcher-kva.example');
  });

  it('leaves text that is not an address', () => {
    expect(normaliseAddress(' Nothing ')).toBe('nothing');
  });
});

describe('domainOf', () => {
  it('returns the domain as A-labels', () => {
    expect(domainOf('a@Bücher.Example')).toBe('xn--bcher-kva.example');
    expect(domainOf('"x@y"@Example.com')).toBe('example.com');
    expect(domainOf('nothing')).toBe('');
  });
});

describe('the fast path for plain domains', () => {
  const label = fc.stringMatching(/^[a-z0-9-]{1,8}$/);
  it('accepts no domain that the general path would change or refuse', () => {
    fc.assert(
      fc.property(fc.array(label, { minLength: 2, maxLength: 4 }), fc.constantFrom('', 'xn--'), (labels, prefix) => {
        const domain = prefix + labels.join('.');
        const read = parseMailbox(`a@${domain}`);
        if ('address' in read) expect(read.address).toBe(`a@${domainToASCII(domain)}`);
        else expect(domainToASCII(domain) === '' || /^-|-$|-\.|\.-|\.[0-9]+$/.test(domain)).toBe(true);
      }),
      { numRuns: 2_000 },
    );
  });
});

describe('Unicode forms of one address', () => {
  const WRITTEN = [
    'josé@example.com',
    'JÜRGEN@bücher.example',
    'nguyễn.việt@example.com',
    '한글@example.com',
    'が.ぱ@example.jp',
    'Йод@example.com',
    'ΰ@example.com',
    '"josé garcía"@example.com',
    'İz@example.com',
    'ᾼ@example.com',
    '\u0958@example.com',
    '\u212bngstr\u00f6m@example.com',
  ];
  /** Each accent as a character of its own, except that of the letter of the alphabet: as Windows-1258 writes Vietnamese. */
  const toneMarks = (text: string) =>
    text.normalize('NFC').replace(/[^\0-\x7f]/gu, (letter) => {
      const [base = '', ...marks] = letter.normalize('NFD');
      const shape = marks.filter((mark) => /[\u0302\u0306\u031b]/u.test(mark)).join('');
      return (base + shape).normalize('NFC') + marks.filter((mark) => !shape.includes(mark)).join('');
    });

  it.each(WRITTEN)('are parsed as the same mailbox in Normalization Form C (RFC 6532 section 3.1): %j', (text) => {
    const read = parseRecipient(text.normalize('NFC'));
    expect(read).toEqual({ address: expect.stringMatching(/@/) as string, name: '' });
    const { address } = read as { address: string };
    expect(address).toBe(address.normalize('NFC'));
    for (const form of [text, text.normalize('NFD'), toneMarks(text)]) expect(parseRecipient(form)).toEqual(read);
  });

  it.each(WRITTEN)('have one normalised address: %j', (text) => {
    const wanted = normaliseAddress(text.normalize('NFC'));
    for (const form of [text, text.normalize('NFD'), toneMarks(text), wanted])
      expect(normaliseAddress(form)).toBe(wanted);
  });

  it('keep the display name as it is written', () => {
    expect(parseMailbox('Jose\u0301 <jose\u0301@example.com>')).toEqual({
      address: 'jos\u00e9@example.com',
      name: 'Jose\u0301',
    });
  });

  it('are checked after normalisation, which can make another character of one', () => {
    // U+037E is a semicolon in Normalization Form C, U+212A a K, U+1FEF a grave accent.
    expect(parseRecipient('a\u037eb@example.com')).toHaveProperty('problem');
    expect(parseRecipient('"a\u037eb"@example.com')).toEqual({ address: '"a;b"@example.com', name: '' });
    expect(parseRecipient('\u212aim\u1fef@example.com')).toEqual({ address: 'Kim`@example.com', name: '' });
  });

  it('may be longer than the limit as long as their normalised form is not', () => {
    const hangul = '한글'.repeat(10);
    expect(Buffer.byteLength(hangul.normalize('NFD'))).toBeGreaterThan(64);
    expect(parseRecipient(`${hangul.normalize('NFD')}@example.com`)).toEqual({
      address: `${hangul}@example.com`,
      name: '',
    });
  });
});
