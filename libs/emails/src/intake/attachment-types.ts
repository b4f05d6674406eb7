import { isUtf8 } from 'node:buffer';
import { endsAsZip, readZipDirectory } from './attachment-zip.js';

/** A kind of file that may be attached. */
export interface AttachmentType {
  /** As recipients see it. */
  mime: string;
  /** Names that some programs send in its place. */
  alsoCalled: readonly string[];
  extensions: readonly [string, ...string[]];
  /** By the bytes alone. */
  matches(content: Buffer): boolean;
}

/** The ten types of the interface ("Limits", allowed attachment MIME types). */
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
  return { mime, alsoCalled, extensions, matches };
}

export const typeByMime = (mime: string): AttachmentType | undefined =>
  ATTACHMENT_TYPES.find((known) => known.mime === mime || known.alsoCalled.includes(mime));

export const typeByExtension = (extension: string): AttachmentType | undefined =>
  ATTACHMENT_TYPES.find((known) => known.extensions.includes(extension));

/** The most special type that the bytes are of: a DOCX is a ZIP too, which is the last, and text is what is nothing else. */
export const typeByContent = (content: Buffer): AttachmentType | undefined =>
  ATTACHMENT_TYPES.find((known) => known.matches(content));

const HEAD_BYTES = 1024;
const head = (content: Buffer): string => content.toString('latin1', 0, HEAD_BYTES);
const startsWith = (content: Buffer, magic: string): boolean => content.toString('latin1', 0, magic.length) === magic;

/**
 * A picture to one program must not be an archive to another (which search from the end), or a document (PDF readers
 * search the first 1024 bytes).
 */
const isOnlyImage = (content: Buffer): boolean => !head(content).includes('%PDF-') && !endsAsZip(content);

/** Controls that no text file has: all of C0 but tab, line ends, form feed, the old end mark (1A) and escape (1B). */
const NO_TEXT = Array.from({ length: 256 }, (_, octet) =>
  /[\x00-\x08\x0e-\x19\x1c-\x1f]/.test(String.fromCharCode(octet)),
);
/** What a browser or a shell would run when the file is opened as what it really is. */
const MARKUP = /^\s*<(!doctype|html|head|body|script|iframe|object|svg|\?php)\b/i;

/** UTF-8, or Latin-1 and its kin of one byte per letter; neither a program nor a page. */
function isText(content: Buffer): boolean {
  const begin = content.toString(isUtf8(content) ? 'utf8' : 'latin1', 0, HEAD_BYTES).replace(/^\ufeff/, '');
  return !begin.startsWith('#!') && !MARKUP.test(begin) && !hasControls(content);
}

/** A loop: the text of ten megabytes takes longer to make than to look through. */
function hasControls(content: Buffer): boolean {
  for (let at = 0; at < content.length; at += 1) if (NO_TEXT[content[at]]) return true;
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
