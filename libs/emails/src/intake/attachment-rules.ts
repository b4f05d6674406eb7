import { LIMITS } from '#libs/contracts';
import { targetUrlProblems } from '#libs/kernel';
import { extensionOf, filenameProblems, isExecutableName } from './attachment-names.js';
import {
  ATTACHMENT_TYPES,
  startsAsProgram,
  typeByContent,
  typeByExtension,
  typeByMime,
  type AttachmentType,
} from './attachment-types.js';
import { leavesItsFolder, readZipDirectory } from './attachment-zip.js';
import type { Attachment } from './submission.js';
import { isRecord, type RuleProblem } from './rule.js';

// RFC 2045 §5.1; of parameters only plain ones, such as `charset=utf-8`.
const MIME_TYPE =
  /^[a-z0-9][a-z0-9.+-]{0,126}\/[a-z0-9][a-z0-9.+-]{0,126}( *; *[a-z0-9-]{1,40}=("[ -!#-[\]-~]{0,60}"|[a-z0-9._-]{1,60})){0,4}$/i;
const CHARSET = /; *charset="?([a-z0-9._-]{1,40})"?(?= *;|$)/i;
const CONTENT_ID = /^[A-Za-z0-9._@-]{1,128}$/;
const LAST_QUANTUM = /^[A-Za-z0-9+/]{2}([A-Za-z0-9+/]{2}|[A-Za-z0-9+/]=|==)$/;

/** One entry of `attachments` that its rule has passed. */
interface AttachmentInput {
  filename?: string | null;
  content?: string | null;
  /** In place of `content`. */
  path?: string | null;
  content_type?: string | null;
  content_id?: string | null;
}

/** Is a missing file name an error (REST), or made up (façade)? */
export interface AttachmentOptions {
  filename: 'required' | 'optional';
}

/** What is malformed (status 400). What is well-formed but not allowed is the matter of `forbiddenAttachments`. */
export function attachmentProblems(
  value: unknown,
  options: AttachmentOptions = { filename: 'required' },
): RuleProblem[] {
  if (!Array.isArray(value)) return one('', 'invalid_type', 'must be an array of attachments');
  if (value.length > LIMITS.attachmentCount)
    return one('', 'too_many', `must have at most ${LIMITS.attachmentCount} attachments`);
  const problems = value.flatMap((entry, i) => entryProblems(entry, `[${i}]`, options));
  return problems.length > 0 ? problems : duplicateContentIds(value as AttachmentInput[]);
}

const one = (path: string, code: string, message: string): RuleProblem[] => [{ path, code, message }];
const isAbsent = (value: unknown): value is undefined | null => value === undefined || value === null;
const isForm = (value: unknown, form: RegExp): boolean => typeof value === 'string' && form.test(value);

function entryProblems(entry: unknown, path: string, options: AttachmentOptions): RuleProblem[] {
  if (!isRecord(entry)) return one(path, 'invalid_type', 'must be an object');
  const { filename, content_type: contentType, content_id: contentId } = entry;
  return [
    ...nameProblems(filename, `${path}.filename`, options),
    ...sourceProblems(entry, path),
    ...(isAbsent(contentType) || isForm(contentType, MIME_TYPE)
      ? []
      : one(`${path}.content_type`, 'invalid_value', 'must be a MIME type such as application/pdf')),
    ...(isAbsent(contentId) || isForm(contentId, CONTENT_ID)
      ? []
      : one(`${path}.content_id`, 'invalid_value', 'must have 1 to 128 letters, digits, ".", "_", "@" or "-"')),
  ];
}

function nameProblems(name: unknown, path: string, options: AttachmentOptions): RuleProblem[] {
  if (!isAbsent(name)) return filenameProblems(name, path);
  return options.filename === 'optional' ? [] : one(path, 'required', 'is required');
}

/** Exactly one of `content` and `path`. */
function sourceProblems({ content, path: url }: Record<string, unknown>, path: string): RuleProblem[] {
  if (isAbsent(content) && isAbsent(url))
    return one(`${path}.content`, 'required', 'is required when path is not given');
  if (!isAbsent(content) && !isAbsent(url))
    return one(`${path}.path`, 'conflict', 'must not be given together with content');
  if (!isAbsent(content)) return contentProblems(content, `${path}.content`);
  // Which hosts may be asked is a setting; whether this is a web address at all is not.
  return targetUrlProblems(url, { allowPrivate: true }).map((problem) => ({
    path: `${path}.path`,
    code: problem.code,
    message: problem.code === 'invalid_scheme' ? 'must start with https://' : problem.message,
  }));
}

function contentProblems(content: unknown, path: string): RuleProblem[] {
  if (typeof content === 'string' && isBase64(content)) return [];
  return one(
    path,
    'invalid_base64',
    'must be the file, not empty, in base64 (RFC 4648 §4), padded, without line breaks',
  );
}

/**
 * Written as it would be written back: a comparison costs a tenth of what a pattern does for ten megabytes. The last
 * quantum apart, whose bits behind the end some programs do not clear.
 */
function isBase64(text: string): boolean {
  if (!LAST_QUANTUM.test(text.slice(-4))) return false;
  const again = Buffer.from(text, 'base64').toString('base64');
  return again.length === text.length && again.slice(0, -4) === text.slice(0, -4);
}

function duplicateContentIds(entries: AttachmentInput[]): RuleProblem[] {
  const seen = new Set<string>();
  return entries.flatMap(({ content_id: id }, i) => {
    if (isAbsent(id)) return [];
    if (seen.has(id)) return one(`[${i}].content_id`, 'duplicate', 'must be unique within the mail');
    seen.add(id);
    return [];
  });
}

/** Attachments of a value that its rule has passed; what is to be fetched has its `path` and no content yet. */
export function attachmentsFrom(value: AttachmentInput[] | undefined): Attachment[] {
  return (value ?? []).map((entry, i) =>
    named({
      filename: entry.filename ?? nameInUrl(entry.path) ?? `attachment-${i + 1}`,
      contentType: contentTypeOf(entry.content_type ?? ''),
      ...(isAbsent(entry.content_id) ? {} : { contentId: entry.content_id }),
      content: Buffer.from(entry.content ?? '', 'base64'),
      ...(isAbsent(entry.path) ? {} : { path: entry.path }),
    }),
  );
}

/** `type/subtype` by its proper name, for text with the charset if one is said. */
function contentTypeOf(given: string): string {
  const mime = given.split(';', 1)[0].trim().toLowerCase();
  const charset = mime.startsWith('text/') ? CHARSET.exec(given)?.[1] : undefined;
  return `${typeByMime(mime)?.mime ?? mime}${charset === undefined ? '' : `; charset=${charset.toLowerCase()}`}`;
}

/** The file's name as its address ends, if that is a file name with an extension. */
function nameInUrl(url: string | null | undefined): string | undefined {
  if (isAbsent(url)) return undefined;
  const last = new URL(url).pathname.split('/').at(-1) ?? '';
  const name = safelyDecoded(last).normalize('NFC');
  return extensionOf(name) !== '' && filenameProblems(name, '').length === 0 ? name : undefined;
}

function safelyDecoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return '';
  }
}

/** The type follows from the name, or else from the bytes once they are there; then so does the name's extension. */
export function named(file: Attachment): Attachment {
  if (file.contentType !== '') return file;
  const extension = extensionOf(file.filename);
  if (extension !== '') return { ...file, contentType: typeByExtension(extension)?.mime ?? UNKNOWN };
  if (file.path !== undefined) return file;
  const found = typeByContent(file.content);
  if (!found) return { ...file, contentType: UNKNOWN };
  return { ...file, contentType: found.mime, filename: `${file.filename}.${found.extensions[0]}` };
}
const UNKNOWN = 'application/octet-stream';

/** What may not be sent (status 422): anything but the ten types, by name and by content alike (D-18, S-29…S-31). */
export function forbiddenAttachments(attachments: readonly Attachment[]): RuleProblem[] {
  return attachments.flatMap((attachment, i) => forbidden(attachment, `[${i}]`));
}

function forbidden(file: Attachment, path: string): RuleProblem[] {
  const { filename, contentType, content } = file;
  if (isExecutableName(filename) || startsAsProgram(content))
    return one(`${path}.filename`, 'executable', 'must not be an executable file');
  const type = typeByMime(contentType.split(';', 1)[0]);
  if (!type)
    return one(
      `${path}.content_type`,
      'type_not_allowed',
      `must be one of ${ATTACHMENT_TYPES.map((t) => t.mime).join(', ')}`,
    );
  const misnamed = misnamedProblems(filename, type, path);
  if (misnamed.length > 0) return misnamed;
  if (!type.matches(content)) return one(`${path}.content`, 'type_mismatch', `must be a file of the type ${type.mime}`);
  return archiveProblems(content, type, path);
}

function misnamedProblems(filename: string, type: AttachmentType, path: string): RuleProblem[] {
  const extension = extensionOf(filename);
  return extension === '' || type.extensions.includes(extension)
    ? []
    : one(`${path}.filename`, 'type_mismatch', `must end with .${type.extensions.join(' or .')} for ${type.mime}`);
}

/** The same of a further name that some reader shows in place of the file's own (RFC 2231 and what came before it). */
export function forbiddenOtherName(filename: string, { contentType }: Attachment): RuleProblem[] {
  const problems = filenameProblems(filename, '');
  if (problems.length > 0) return problems;
  if (isExecutableName(filename)) return one('', 'executable', 'must not be an executable file');
  const type = typeByMime(contentType.split(';', 1)[0]);
  return type ? misnamedProblems(filename, type, '') : [];
}

/** What is inside counts as attached. Names are readable even where the files are encrypted. */
function archiveProblems(content: Buffer, type: AttachmentType, path: string): RuleProblem[] {
  const { entries } = (ARCHIVES.has(type.extensions[0]) && readZipDirectory(content)) || { entries: [] };
  const binIsData = type.extensions[0] !== 'zip';
  if (entries.some((entry) => isExecutableName(entry, { binIsData })))
    return one(`${path}.content`, 'executable', 'must not contain an executable file');
  if (entries.some(leavesItsFolder))
    return one(`${path}.content`, 'unsafe_archive', 'must not contain names that lead out of its folder');
  return [];
}
const ARCHIVES = new Set(['zip', 'xlsx', 'docx']);
