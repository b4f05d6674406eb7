import { describe, expect, it } from 'vitest';
import { mustReturn } from '../../../../test/support/timing/must-return.js';
import { charsetName, decodeBytes, decodeText } from './charsets.js';

const ALIASES: Readonly<Record<string, string>> = {
  'utf-8': 'utf-8 UTF8 utf_8 UTF-8; "utf-8" \'utf-8\' x-utf-8 cp65001 utf-8-sig utf8mb4',
  'us-ascii': 'us-ascii ASCII ansi_x3.4-1968 ANSI_X3.4-1986 iso646-us ISO_646.irv:1991 us cp367 ibm367 csASCII usascii',
  'windows-1252':
    'iso-8859-1 ISO8859-1 iso_8859_1 8859-1 8859_1 latin1 latin-1 Latin_1 l1 cp1252 cp-1252 windows1252 win-1252 ansi cp819',
  'iso-8859-2': 'ISO-8859-2 iso8859_2 latin-2 cp28592 iso_8859-2:1987',
  'iso-8859-15': 'iso8859-15 latin-9 latin9 cp28605 ISO_8859_15',
  'windows-1250': 'cp1250 windows-1250 x-cp1250 win1250 ms1250 cp-1250',
  'windows-1251': 'cp1251 win-1251 windows-cp1251 x-windows-1251 windows_1251 ansi-1251',
  'windows-874': 'tis-620 cp874 windows-874 iso-8859-11 ms874',
  'koi8-r': 'koi8-r KOI8R koi8_r koi8 cp20866',
  'koi8-u': 'koi8-u koi8_u cp21866',
  shift_jis:
    'shift_jis Shift-JIS sjis x-sjis cp932 CP-932 ms932 windows-932 Windows-31J ms_kanji csShiftJIS sjis-win cp943 shift_jisx0213',
  'euc-jp': 'euc-jp eucjp x-euc-jp eucJP-ms cp51932 ujis euc_jp',
  'iso-2022-jp': 'iso-2022-jp ISO2022JP iso-2022-jp-ms iso-2022-jp-2004 cp50220 cp50221 csISO2022JP iso-2022-jp-2 jis',
  'euc-kr': 'euc-kr euckr cp949 ms949 uhc windows-949 x-windows-949 ks_c_5601-1987 ksc5601 ks_x_1001 cp51949',
  gbk: 'gbk gb2312 gb_2312-80 GB-2312 cp936 ms936 windows-936 x-gbk euc-cn x-euc-cn',
  gb18030: 'gb18030 gb18030-2005 cp54936 GB-18030',
  big5: 'big5 big-5 cp950 ms950 windows-950 x-big5 big5-hkscs Big5_HKSCS cp951 big5-eten',
  macintosh: 'macintosh x-mac-roman MacRoman mac cp10000',
  ibm866: 'ibm866 cp866 866 csIBM866',
  'utf-16le': 'utf-16le utf-16 utf16 ucs-2 UTF_16LE cp1200',
  'utf-7': 'utf-7 UTF7 unicode-1-1-utf-7 csUnicode11UTF7 cp65000 x-unicode-2-0-utf-7',
  'iso-2022-kr': 'iso-2022-kr ISO2022KR csISO2022KR cp50225',
  'hz-gb-2312': 'hz-gb-2312 HZ hz_gb_2312 cp52936',
};
const PAIRS = Object.entries(ALIASES).flatMap(([name, labels]) => labels.split(' ').map((label) => ({ label, name })));

describe('charsetName', () => {
  it.each(PAIRS)('$label is $name', ({ label, name }) => {
    expect(charsetName(label)).toBe(name);
    expect(charsetName(` ${label.toUpperCase()} ;`)).toBe(name);
  });

  it.each(['', 'nonsense', 'cp99999', 'unknown-8bit', 'x-user-defined', 'iso-8859-99', 'constructor'])(
    'knows no charset %j',
    (label) => {
      expect(charsetName(label)).toBe(label);
    },
  );
});

describe('decodeBytes', () => {
  it.each([
    ['cp932', '8740', '①'],
    ['ms_kanji', '93fa967b', '日本'],
    ['cp949', 'c7d1b1db', '한글'],
    ['cp949', '8c63b9e6b0a2c7cf', '똠방각하'],
    ['ks_c_5601-1987', '8141', '갂'],
    ['euc-kr', 'c652c7d141', '힣한A'],
    ['cp936', 'd6d0', '中'],
    ['cp950', 'a4a4', '中'],
    ['win-1251', 'cff0e8', 'При'],
    ['latin-2', 'e9ec', 'éě'],
    ['latin-9', 'a4', '€'],
    ['ansi_x3.4-1968', '41', 'A'],
    ['utf-7', Buffer.from('Gr+APwA3w-e +- x').toString('hex'), 'Grüße + x'],
    ['utf-7', Buffer.from('+2D3eAA').toString('hex'), '😀'],
    [
      'iso-2022-kr',
      `${Buffer.from('\x1b$)C').toString('hex')}0e4751315b0f${Buffer.from(' ok').toString('hex')}`,
      '한글 ok',
    ],
    ['hz-gb-2312', Buffer.from('a~~b ~{VPND~} c').toString('hex'), 'a~b 中文 c'],
    // An escape sequence with nothing between it and the next one.
    ['iso-2022-jp', `1b24421b28421b2442467c4b5c1b2842`, '日本'],
    ['x-user-defined', 'fc', 'ü'],
    ['unknown-8bit', 'c3bc', 'ü'],
  ])('of %s reads %s as %j', (label, hex, text) => {
    expect(decodeBytes(Buffer.from(hex, 'hex'), label)).toBe(text);
  });

  it('never throws, and reads in linear time', () => {
    for (const label of ['utf-7', 'iso-2022-kr', 'hz', 'iso-2022-jp', 'utf-8'])
      for (const piece of ['+', '+A', '~{', '~', '\x1b$B', '\x1b', '\x0e', '\xff', '+2D0-'])
        expect(mustReturn(() => decodeBytes(Buffer.from(piece.repeat(100_000), 'latin1'), label))).toBeTypeOf('string');
  });
});

describe('decodeText', () => {
  it.each(['', 'us-ascii', 'UTF8', 'utf-8;', 'ansi_x3.4-1968'])('guesses where %j may be wrong', (label) => {
    expect(decodeText(Buffer.from('ü'), label)).toBe('ü');
    expect(decodeText(Buffer.from([0xfc, 0x80]), label)).toBe('ü€');
  });

  it('decodes by another label', () => {
    expect(decodeText(Buffer.from([0xc7, 0xd1]), 'CP949')).toBe('한');
  });
});
