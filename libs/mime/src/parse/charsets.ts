import { isUtf8 } from 'node:buffer';
import { decodeKorean } from './korean.js';

/* Charsets by any of their labels. Linear; never throws. */

const MAX_LABEL = 60;
const AROUND_LABEL = new Set(` \t"'<>;,`);
/** 0x80 to 0x9F; the five unassigned ones remain control characters. */
const WINDOWS_1252 = [...'€\x81‚ƒ„…†‡ˆ‰Š‹Œ\x8dŽ\x8f\x90‘’“”•–—˜™š›œ\x9džŸ'];

/** Numbers of code pages (Microsoft, IBM) that are no charset of the WHATWG under this number. */
const CODE_PAGES: Readonly<Record<string, string>> = {
  '367': 'us-ascii',
  '819': 'windows-1252',
  '874': 'windows-874',
  '932': 'shift_jis',
  '936': 'gbk',
  '942': 'shift_jis',
  '943': 'shift_jis',
  '949': 'euc-kr',
  '950': 'big5',
  '951': 'big5',
  '1200': 'utf-16le',
  '1201': 'utf-16be',
  '10000': 'macintosh',
  '10007': 'x-mac-cyrillic',
  '20127': 'us-ascii',
  '20866': 'koi8-r',
  '20932': 'euc-jp',
  '21866': 'koi8-u',
  '50220': 'iso-2022-jp',
  '50221': 'iso-2022-jp',
  '50222': 'iso-2022-jp',
  '50225': 'iso-2022-kr',
  '51932': 'euc-jp',
  '51936': 'gbk',
  '51949': 'euc-kr',
  '52936': 'hz-gb-2312',
  '54936': 'gb18030',
  '65000': 'utf-7',
  '65001': 'utf-8',
};
const CODE_PAGE = /^x?(?:windows|win|cp|ms|mswin|ansi|ibm|dos|windowscp|wincp|cswindows|csibm)?(\d{3,5})$/;
const ISO_8859 = /^(?:cs)?(?:iso)?8859(1[0-6]|[1-9])(?:19\d\d)?$/;
const LATIN = /^(?:cs)?(?:iso)?(?:latin|l)(10|[1-9])$/;
/** The number of the part of ISO 8859 of `latin1`, `latin2`, … */
const LATIN_PARTS = [1, 2, 3, 4, 9, 10, 13, 14, 15, 16];

/** Labels without their punctuation. The longest names of a charset come first, because others begin with them. */
const FAMILIES: readonly [name: string, labels: RegExp][] = [
  ['us-ascii', /^(?:cs|us)?ascii$|^ansix34|^iso646(?:us|irv)|^us$|^(?:7bit|646)$/],
  ['utf-8', /^x?utf8/],
  ['utf-7', /^(?:cs|x)?(?:utf7|unicode\d?\d?utf7)/],
  ['utf-16be', /^utf16be/],
  ['utf-16le', /^utf16|^ucs2/],
  ['iso-2022-jp', /^(?:cs)?iso2022jp|^jis7?$|^junet$/],
  ['iso-2022-kr', /^(?:cs)?iso2022kr/],
  ['hz-gb-2312', /^hz(?:gb2312)?$/],
  ['shift_jis', /^(?:cs|x)?s(?:hift)?jis|^windows31j$|^mskanji$/],
  ['euc-jp', /^(?:cs|x)?eucjp|^ujis$/],
  ['euc-kr', /^(?:cs|x)?euckr|^(?:x)?(?:uhc|wansung)$|^ksc?x?(?:5601|1001)/],
  ['gb18030', /^gb18030/],
  ['gbk', /^(?:cs|x)?(?:gbk|gb2312|euccn)/],
  ['big5', /^(?:cs|x|xx)?big5|^bigfive$/],
  ['koi8-u', /^koi8(?:u|ru)/],
  ['koi8-r', /^(?:cs)?koi8r?$/],
  ['windows-874', /^tis620/],
  ['macintosh', /^x?mac(?:intosh|roman)?$/],
  ['x-mac-cyrillic', /^x?mac(?:cyrillic|ukrain)/],
  ['windows-1252', /^(?:ms)?ansi$/],
];

/**
 * The name of a charset in the Encoding Standard of the WHATWG, for it and other common labels; also `us-ascii`, which that
 * standard reads as Windows-1252, and `utf-7`, `iso-2022-kr` and `hz-gb-2312`. An unknown label is returned as it is.
 */
export function charsetName(label: string): string {
  if (label.length > MAX_LABEL) return label;
  const plain = trimmedLabel(label).toLowerCase();
  const squashed = plain.replace(/[^a-z0-9]/g, '');
  return familyOf(squashed) ?? byNumber(squashed) ?? standardName(plain) ?? plain;
}

function trimmedLabel(label: string): string {
  let from = 0;
  let to = label.length;
  while (from < to && AROUND_LABEL.has(label[from])) from += 1;
  while (to > from && AROUND_LABEL.has(label[to - 1])) to -= 1;
  return label.slice(from, to);
}

const familyOf = (squashed: string): string | undefined => FAMILIES.find(([, labels]) => labels.test(squashed))?.[0];

function byNumber(squashed: string): string | undefined {
  const part = ISO_8859.exec(squashed)?.[1] ?? LATIN_PARTS[Number(LATIN.exec(squashed)?.[1] ?? 0) - 1];
  if (part !== undefined) return standardName(`iso-8859-${part}`);
  const page = CODE_PAGE.exec(squashed)?.[1];
  if (page === undefined) return undefined;
  const isoPart = /^28(?:59|60)\d$/.test(page) ? `iso-8859-${Number(page) - 28_590}` : undefined;
  return CODE_PAGES[page] ?? standardName(isoPart ?? `cp${page}`);
}

/** Undefined for an unknown label, and for `x-user-defined`, which stands for no characters. */
function standardName(label: string): string | undefined {
  try {
    const { encoding } = new TextDecoder(label);
    return encoding === 'x-user-defined' ? undefined : encoding;
  } catch {
    return undefined;
  }
}

/** Whether the meaning of an octet depends on escape sequences before it, so that pieces are decoded one by one. */
export const hasShiftStates = (name: string): boolean => SHIFTED.has(name);

/** Charsets with shift states, converted to text. */
const SHIFTED: ReadonlyMap<string, (bytes: Buffer) => string> = new Map([
  ['iso-2022-jp', fromIso2022Jp],
  ['iso-2022-kr', fromIso2022Kr],
  ['hz-gb-2312', fromHz],
  ['utf-7', fromUtf7],
]);

/** Decodes bytes of a labelled charset; of an unknown one as UTF-8 where valid, else as Latin-1. Never throws. */
export function decodeBytes(bytes: Buffer, label: string): string {
  const name = charsetName(label);
  const shifted = SHIFTED.get(name);
  if (shifted !== undefined) return shifted(bytes);
  // Node 20 decodes windows-1252, and all its aliases such as iso-8859-1, as plain Latin-1.
  if (name === 'windows-1252' || name === 'us-ascii') return decodeWindows1252(bytes);
  if (name === 'euc-kr') return decodeKorean(bytes);
  const known = standardName(name);
  if (known !== undefined) return new TextDecoder(known).decode(bytes);
  const text = bytes.toString('utf8');
  return text.includes('\ufffd') ? bytes.toString('latin1') : text;
}

/** Decodes the text of a part. Undeclared and wrongly declared: valid UTF-8 is UTF-8, the rest nearly always Windows-1252. */
export function decodeText(bytes: Buffer, label: string): string {
  const name = charsetName(label);
  const isGuessed = name === '' || name === 'us-ascii' || name === 'utf-8';
  return decodeBytes(bytes, isGuessed ? (isUtf8(bytes) ? 'utf-8' : 'windows-1252') : name);
}

function decodeWindows1252(bytes: Buffer): string {
  return bytes.toString('latin1').replace(/[\x80-\x9f]/g, (character) => WINDOWS_1252[character.charCodeAt(0) - 0x80]);
}

/** RFC 1468. An escape sequence directly before another one has no effect; the decoder would write U+FFFD. */
function fromIso2022Jp(bytes: Buffer): string {
  const text = bytes.toString('latin1').replace(/\x1b[($][@ABIJ](?=\x1b[($])/g, '');
  return new TextDecoder('iso-2022-jp').decode(Buffer.from(text, 'latin1'));
}

/** RFC 1557: after SO two octets are a character of KS X 1001, after SI each octet is ASCII. */
function fromIso2022Kr(bytes: Buffer): string {
  const text = bytes.toString('latin1').replaceAll('\x1b$)C', '');
  const plain = text
    .split('\x0e')
    .map((piece, i) => (i === 0 ? piece : withHighBits(piece, piece.indexOf('\x0f'))))
    .join('');
  return new TextDecoder('euc-kr').decode(Buffer.from(plain.replaceAll('\x0f', ''), 'latin1'));
}

/** RFC 1843: two octets between `~{` and `~}` are a character of GB 2312, and `~~` is a tilde. */
function fromHz(bytes: Buffer): string {
  const text = bytes.toString('latin1');
  const plain = text
    .split('~{')
    .map((piece, i) => (i === 0 ? piece : withHighBits(piece, piece.indexOf('~}'))))
    .join('')
    .replace(/~([~}\n])/g, (_, mark: string) => (mark === '~' ? '~' : ''));
  return new TextDecoder('gbk').decode(Buffer.from(plain, 'latin1'));
}

/** With the eighth bit set in graphic characters before `end`; -1 for the whole piece. */
function withHighBits(piece: string, end: number): string {
  const to = end < 0 ? piece.length : end;
  const high = piece.slice(0, to).replace(/[!-~]/g, (octet) => String.fromCharCode(octet.charCodeAt(0) | 0x80));
  return high + piece.slice(to);
}

/** RFC 2152: base64 of UTF-16 between `+` and another character; `+-` is a plus sign. */
function fromUtf7(bytes: Buffer): string {
  return bytes
    .toString('latin1')
    .replace(/\+([A-Za-z0-9+/]*)-?/g, (_, encoded: string) => (encoded === '' ? '+' : fromUtf16Be(encoded)));
}

function fromUtf16Be(base64: string): string {
  const octets = Buffer.from(base64, 'base64');
  const text = octets
    .subarray(0, octets.length & ~1)
    .swap16()
    .toString('utf16le');
  return text.replace(/\p{Cs}/gu, '\ufffd');
}
