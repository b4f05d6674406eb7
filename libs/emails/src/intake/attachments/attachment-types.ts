import { isUtf8 } from 'node:buffer';
import { endsAsZip, readZipDirectory } from './zip-contents.js';

/** A type of file that may be attached. */
export interface AttachmentType {
  /** The canonical MIME type. */
  mime: string;
  /** Other names of the type that some programs send. */
  aliases: readonly string[];
  extensions: readonly [string, ...string[]];
  /** Checks the content only. */
  matches(content: Buffer): boolean;
}

/**
 * Types that ATTACHMENT_TYPES adds to the ten: MIME types in lower case, or all. Their content is not compared with
 * their type, but executable files are refused in all of them.
 */
export type FurtherTypes = 'all' | ReadonlySet<string>;
export const NO_FURTHER_TYPES: FurtherTypes = new Set();

export const furtherTypes = (setting: 'all' | readonly string[] = []): FurtherTypes =>
  setting === 'all' ? 'all' : new Set(setting);

/** The types that are always allowed. */
export const ATTACHMENT_TYPES: readonly AttachmentType[] = [
  type('application/pdf', ['pdf'], (content) => startsWith(content, '%PDF') && !endsAsZip(content)),
  type('image/png', ['png'], (content) => startsWith(content, '\x89PNG\r\n\x1a\n') && isOnlyImage(content)),
  type('image/jpeg', ['jpg', 'jpeg'], (content) => startsWith(content, '\xff\xd8\xff') && isOnlyImage(content), [
    'image/jpg',
    'image/pjpeg',
  ]),
  type('image/gif', ['gif'], (content) => /^GIF8[79]a/.test(head(content)) && isOnlyImage(content)),
  type('image/webp', ['webp'], (content) => /^RIFF[^]{4}WEBP/.test(head(content)) && isOnlyImage(content)),
  type('text/plain', ['txt'], isText),
  type('text/csv', ['csv'], isText, ['application/csv']),
  type('application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['xlsx'], (content) =>
    isOfficeDocument(content, 'xl/'),
  ),
  type('application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['docx'], (content) =>
    isOfficeDocument(content, 'word/'),
  ),
  type('application/zip', ['zip'], (content) => readZipDirectory(content) !== null, ['application/x-zip-compressed']),
];

function type(
  ...[mime, extensions, matches, alsoCalled = []]: [
    mime: string,
    extensions: AttachmentType['extensions'],
    matches: AttachmentType['matches'],
    alsoCalled?: string[],
  ]
): AttachmentType {
  return { mime, aliases: alsoCalled, extensions, matches };
}

export const typeByMime = (mime: string): AttachmentType | undefined =>
  ATTACHMENT_TYPES.find((known) => known.mime === mime || known.aliases.includes(mime));

const typeByExtension = (extension: string): AttachmentType | undefined =>
  ATTACHMENT_TYPES.find((known) => known.extensions.includes(extension));

/**
 * Returns the most specific type of the content. A DOCX file is also a ZIP file, so ZIP comes last; text is everything
 * without control characters that is nothing else.
 */
export const typeByContent = (content: Buffer): AttachmentType | undefined =>
  ATTACHMENT_TYPES.find((known) => known.matches(content));

/** Types of files that mail commonly carries, for names without a given type. */
const FURTHER_BY_EXTENSION: Readonly<Record<string, string>> = {
  doc: 'application/msword',
  eml: 'message/rfc822',
  heic: 'image/heic',
  ics: 'text/calendar',
  json: 'application/json',
  md: 'text/markdown',
  odp: 'application/vnd.oasis.opendocument.presentation',
  ods: 'application/vnd.oasis.opendocument.spreadsheet',
  odt: 'application/vnd.oasis.opendocument.text',
  ppt: 'application/vnd.ms-powerpoint',
  pptx: 'application/vnd.openxmlformats-officedocument.presentationml.presentation',
  rtf: 'application/rtf',
  svg: 'image/svg+xml',
  tif: 'image/tiff',
  tiff: 'image/tiff',
  vcf: 'text/vcard',
  xls: 'application/vnd.ms-excel',
  xml: 'application/xml',
};

/** Undefined for an extension that is not known. */
export const mimeByExtension = (extension: string): string | undefined =>
  typeByExtension(extension)?.mime ?? FURTHER_BY_EXTENSION[extension];

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
 * Control characters that no text file contains: all of C0 but tab, line ends, form feed, end of file (1A) and escape
 * (1B).
 */
const IS_CONTROL = Array.from({ length: 256 }, (_, octet) =>
  /[\x00-\x08\x0e-\x19\x1c-\x1f]/.test(String.fromCharCode(octet)),
);
/** Markup that a browser or a shell would run if the file were opened as its real type. */
const MARKUP = /^\s*<(!doctype|html|head|body|script|iframe|object|svg|\?php)\b/i;

/** UTF-8, or a single-byte encoding such as Latin-1; neither a script nor a web page. */
function isText(content: Buffer): boolean {
  const begin = content.toString(isUtf8(content) ? 'utf8' : 'latin1', 0, HEAD_BYTES).replace(/^\ufeff/, '');
  return !begin.startsWith('#!') && !MARKUP.test(begin) && !hasControls(content);
}

/** A loop, because converting ten megabytes to a string takes longer than scanning them. */
function hasControls(content: Buffer): boolean {
  for (let at = 0; at < content.length; at += 1) if (IS_CONTROL[content[at]]) return true;
  return false;
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
