import { isUtf8 } from 'node:buffer';
import { canonicalType, TEN_TYPES, type TypeNames } from './type-names.js';
import { endsAsZip, readZipDirectory } from './zip-contents.js';

/** A type of file that may be attached. */
export interface AttachmentType extends TypeNames {
  /** Checks the content only. */
  matches(content: Buffer): boolean;
}

/**
 * Types that ATTACHMENT_TYPES adds to the ten: canonical MIME types, or all. Their content is not compared with their
 * type, but executable files are refused in all of them.
 */
export type FurtherTypes = 'all' | ReadonlySet<string>;
export const NO_FURTHER_TYPES: FurtherTypes = new Set();

export const furtherTypes = (setting: 'all' | readonly string[] = []): FurtherTypes =>
  setting === 'all' ? 'all' : new Set(setting.map(canonicalType));

/** The types that are always allowed. */
export const ATTACHMENT_TYPES: readonly AttachmentType[] = [
  { ...TEN_TYPES.pdf, matches: (content) => isPdf(content) && !endsAsZip(content) },
  { ...TEN_TYPES.png, matches: (content) => startsWith(content, '\x89PNG\r\n\x1a\n') && isOnlyImage(content) },
  { ...TEN_TYPES.jpeg, matches: (content) => startsWith(content, '\xff\xd8\xff') && isOnlyImage(content) },
  { ...TEN_TYPES.gif, matches: (content) => /^GIF8[79]a/.test(head(content)) && isOnlyImage(content) },
  { ...TEN_TYPES.webp, matches: (content) => /^RIFF[^]{4}WEBP/.test(head(content)) && isOnlyImage(content) },
  { ...TEN_TYPES.txt, matches: isText },
  { ...TEN_TYPES.csv, matches: isText },
  { ...TEN_TYPES.xlsx, matches: (content) => isOfficeDocument(content, 'xl/') },
  { ...TEN_TYPES.docx, matches: (content) => isOfficeDocument(content, 'word/') },
  { ...TEN_TYPES.zip, matches: (content) => readZipDirectory(content) !== null },
];

/** By any of its names. */
export function typeByMime(mime: string): AttachmentType | undefined {
  const canonical = canonicalType(mime);
  return ATTACHMENT_TYPES.find((known) => known.mime === canonical);
}

/**
 * Returns the most specific type of the content. A DOCX file is also a ZIP file, so ZIP comes last; text is everything
 * without control characters that is nothing else.
 */
export const typeByContent = (content: Buffer): AttachmentType | undefined =>
  ATTACHMENT_TYPES.find((known) => known.matches(content));

/**
 * The type of a file that is sent under the name of a more general one, as many programs send CSV as `text/plain` or as
 * `application/vnd.ms-excel`: by its extension, and by its content if it has none.
 */
export function typeWithin(general: string, extension: string, content: Buffer): AttachmentType | undefined {
  const mime = canonicalType(general);
  return ATTACHMENT_TYPES.find(
    (known) =>
      known.general.includes(mime) &&
      (extension === ''
        ? typeByMime(mime) === undefined && content.length > 0 && known.matches(content)
        : known.extensions.includes(extension)),
  );
}

/** Types of programs and scripts, whatever the name and the content of the file. */
const EXECUTABLE_TYPE =
  /^(?:application|text)\/(?:x-)?(?:msdownload|msdos-program|ms-installer|msi|ms-shortcut|executable|sharedlib|mach-binary|elf|sh|csh|bash|shellscript|bat|php|python|python-code|perl|ruby|powershell|java-archive|javascript|ecmascript|hta|vbscript|vnd\.microsoft\.portable-executable)$/;
export const isExecutableType = (mime: string): boolean => EXECUTABLE_TYPE.test(mime);

const HEAD_BYTES = 1024;
const head = (content: Buffer): string => content.toString('latin1', 0, HEAD_BYTES);
const startsWith = (content: Buffer, magic: string): boolean => content.toString('latin1', 0, magic.length) === magic;

/**
 * An image must not be an archive for programs that search from the end, or a document for PDF readers, which search
 * the first 1024 bytes.
 */
const isOnlyImage = (content: Buffer): boolean => !head(content).includes('%PDF-') && !endsAsZip(content);

/**
 * PDF readers accept a header within the first 1,024 bytes (ISO 32000-1 §7.5.2, Adobe's implementation note 13). Text may
 * stand before it (a byte order mark, line ends, commands for a printer, a header of HTTP), but neither markup nor the
 * beginning of a file of another type.
 */
function isPdf(content: Buffer): boolean {
  if (startsWith(content, '%PDF')) return true;
  const begin = head(content);
  const before = begin.slice(0, Math.max(begin.indexOf('%PDF-'), 0)).replace(/\0/g, '');
  return begin.includes('%PDF-') && !OTHER_FILE.test(before) && !MARKUP_WITHIN.test(before) && !CONTROL.test(before);
}
const OTHER_FILE = /^(?:\x89PNG|\xff\xd8|GIF8|RIFF|PK|\{\\rtf|%!)/;

/**
 * Control characters that no text file contains: all of C0 but tab, line ends, form feed, end of file (1A) and escape
 * (1B).
 */
const CONTROL = /[\x00-\x08\x0e-\x19\x1c-\x1f]/;
const IS_CONTROL = Array.from({ length: 256 }, (_, octet) => CONTROL.test(String.fromCharCode(octet)));
/** Markup that a browser or a shell would run if the file were opened as its real type. */
const MARKUP = /^\s*<(!doctype|html|head|body|script|iframe|object|svg|\?php)\b/i;
const MARKUP_WITHIN = /<(!doctype|html|head|body|script|iframe|object|svg|\?php|\?xml)\b/i;

/** UTF-8, UTF-16 with a byte order mark, or a single-byte encoding such as Latin-1; neither a script nor a web page. */
function isText(content: Buffer): boolean {
  const begin = content.toString(isUtf8(content) ? 'utf8' : 'latin1', 0, HEAD_BYTES);
  return (beginsAsText(begin) && !hasControls(content)) || isUtf16Text(content);
}

function beginsAsText(text: string): boolean {
  const begin = text.replace(/^\ufeff/, '');
  return !begin.startsWith('#!') && !MARKUP.test(begin);
}

/** A loop, because converting ten megabytes to a string takes longer than scanning them. */
function hasControls(content: Buffer): boolean {
  for (let at = 0; at < content.length; at += 1) if (IS_CONTROL[content[at]]) return true;
  return false;
}

/** UTF-32 is not accepted: no browser and few mail clients read it. */
function isUtf16Text(content: Buffer): boolean {
  const low = UTF_16_MARKS.findIndex((mark) => startsWith(content, mark));
  if (low < 0 || content.length % 2 !== 0) return false;
  const begin = Buffer.from(content.subarray(0, 2 * HEAD_BYTES));
  return beginsAsText((low === 0 ? begin : begin.swap16()).toString('utf16le')) && isPlainUtf16(content, low);
}
const UTF_16_MARKS = ['\xff\xfe', '\xfe\xff'];

/** No control characters, and surrogates in pairs only. `low` is the place of the low byte of each unit. */
function isPlainUtf16(content: Buffer, low: number): boolean {
  let expectsLowSurrogate = false;
  for (let at = 0; at < content.length; at += 2) {
    const unit = content[at + low] | (content[at + 1 - low] << 8);
    const isLowSurrogate = (unit & 0xfc00) === 0xdc00;
    if (isLowSurrogate !== expectsLowSurrogate || (unit < 0x20 && IS_CONTROL[unit])) return false;
    expectsLowSurrogate = (unit & 0xfc00) === 0xd800;
  }
  return !expectsLowSurrogate;
}

function isOfficeDocument(content: Buffer, folder: string): boolean {
  const entries = readZipDirectory(content)?.entries ?? [];
  return (
    entries.includes('[Content_Types].xml') &&
    entries.some((name) => name.startsWith(folder)) &&
    !entries.some((name) => /(^|\/)vba(project\.bin|data\.xml)$/i.test(name))
  );
}

/** Windows (MZ), ELF, Mach-O, Java classes, and scripts with a `#!` line. */
export function startsAsProgram(content: Buffer): boolean {
  const start = content.toString('latin1', 0, 4);
  return PROGRAMS.some((magic) => start.startsWith(magic)) || startsWith(content, '\xef\xbb\xbf#!');
}
const PROGRAMS = ['MZ', '#!', '\x7fELF', '\xcf\xfa\xed\xfe', '\xce\xfa\xed\xfe', '\xfe\xed\xfa', '\xca\xfe\xba\xbe'];
