import { LIMITS } from '#libs/contracts';
import type { Attachment } from './submission.js';
import { isRecord, type RuleProblem } from './rule.js';

/** The ten types of the interface, with the extensions that name them. */
export const ATTACHMENT_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['application/pdf', ['pdf']],
  ['image/png', ['png']],
  ['image/jpeg', ['jpg', 'jpeg']],
  ['image/gif', ['gif']],
  ['image/webp', ['webp']],
  ['text/plain', ['txt']],
  ['text/csv', ['csv']],
  ['application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', ['xlsx']],
  ['application/vnd.openxmlformats-officedocument.wordprocessingml.document', ['docx']],
  ['application/zip', ['zip']],
]);

const EXECUTABLE =
  /\.(exe|sh|bat|cmd|com|scr|pif|msi|msp|jar|js|jse|vbs|vbe|wsf|wsh|ps1|psm1|hta|cpl|dll|lnk|reg|app|dmg|pkg|deb|rpm|run|bin|apk|iso|img)(\.|$)/i;
const MIME_TYPE = /^[a-z0-9.+-]+\/[a-z0-9.+-]+$/i;
const CONTENT_ID = /^[A-Za-z0-9._@-]{1,128}$/;
const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;
// Controls, path separators, bidi overrides and isolates, halves of surrogate pairs.
const NOT_IN_NAME = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}/\\\u202a-\u202e\u2066-\u2069]/u;

interface AttachmentInput {
  filename: string;
  content: string;
  content_type?: string;
  content_id?: string;
}

/** What is malformed (status 400). What is well-formed but not allowed is the matter of `forbiddenAttachments`. */
export function attachmentProblems(value: unknown): RuleProblem[] {
  if (!Array.isArray(value)) return [{ path: '', code: 'invalid_type', message: 'must be an array of attachments' }];
  if (value.length > LIMITS.attachmentCount)
    return [{ path: '', code: 'too_many', message: `must have at most ${LIMITS.attachmentCount} attachments` }];
  const problems = value.flatMap((entry, i) => entryProblems(entry, `[${i}]`));
  return problems.length > 0 ? problems : duplicateContentIds(value as AttachmentInput[]);
}

function entryProblems(entry: unknown, path: string): RuleProblem[] {
  if (!isRecord(entry)) return [{ path, code: 'invalid_type', message: 'must be an object' }];
  return [
    ...filenameProblems(entry['filename'], `${path}.filename`),
    ...contentProblems(entry['content'], `${path}.content`),
    ...(isAbsentOr(entry['content_type'], MIME_TYPE)
      ? []
      : [
          {
            path: `${path}.content_type`,
            code: 'invalid_value',
            message: 'must be a MIME type such as application/pdf',
          },
        ]),
    ...(isAbsentOr(entry['content_id'], CONTENT_ID)
      ? []
      : [
          {
            path: `${path}.content_id`,
            code: 'invalid_value',
            message: 'must have 1 to 128 letters, digits, ".", "_", "@" or "-"',
          },
        ]),
  ];
}

function filenameProblems(name: unknown, path: string): RuleProblem[] {
  if (name === undefined) return [{ path, code: 'required', message: 'is required' }];
  if (
    typeof name !== 'string' ||
    name.trim() === '' ||
    Buffer.byteLength(name) > 255 ||
    NOT_IN_NAME.test(name) ||
    /^\.+$/.test(name)
  )
    return [
      {
        path,
        code: 'invalid_filename',
        message: 'must be a file name of at most 255 bytes without path, control or direction characters',
      },
    ];
  return [];
}

function contentProblems(content: unknown, path: string): RuleProblem[] {
  if (content === undefined) return [{ path, code: 'required', message: 'is required' }];
  if (typeof content !== 'string' || content === '' || content.length % 4 !== 0 || !BASE64.test(content))
    return [
      {
        path,
        code: 'invalid_base64',
        message: 'must be the file in base64 (RFC 4648 §4), padded, without line breaks',
      },
    ];
  return [];
}

const isAbsentOr = (value: unknown, form: RegExp): boolean =>
  value === undefined || value === null || (typeof value === 'string' && form.test(value));

function duplicateContentIds(entries: AttachmentInput[]): RuleProblem[] {
  const seen = new Set<string>();
  return entries.flatMap((entry, i) => {
    if (entry.content_id === undefined || !seen.has(entry.content_id)) {
      if (entry.content_id !== undefined) seen.add(entry.content_id);
      return [];
    }
    return [{ path: `[${i}].content_id`, code: 'duplicate', message: 'must be unique within the mail' }];
  });
}

/** Attachments of a value that its rule has passed; a missing type follows from the extension. */
export function attachmentsFrom(value: AttachmentInput[] | undefined): Attachment[] {
  return (value ?? []).map((entry) => ({
    filename: entry.filename.normalize('NFC'),
    contentType: (entry.content_type ?? typeOfName(entry.filename)).toLowerCase(),
    ...(entry.content_id ? { contentId: entry.content_id } : {}),
    content: Buffer.from(entry.content, 'base64'),
  }));
}

function typeOfName(filename: string): string {
  const extension = filename.slice(filename.lastIndexOf('.') + 1).toLowerCase();
  for (const [type, extensions] of ATTACHMENT_TYPES) if (extensions.includes(extension)) return type;
  return 'application/octet-stream';
}

/** What may not be sent (status 422): types outside the list, executables by name or by their first bytes (D-18). */
export function forbiddenAttachments(attachments: readonly Attachment[]): RuleProblem[] {
  return attachments.flatMap((attachment, i) => {
    const path = `[${i}]`;
    if (EXECUTABLE.test(attachment.filename) || startsLikeProgram(attachment.content))
      return [{ path: `${path}.filename`, code: 'executable', message: 'must not be an executable file' }];
    if (!ATTACHMENT_TYPES.has(attachment.contentType))
      return [
        {
          path: `${path}.content_type`,
          code: 'type_not_allowed',
          message: `must be one of ${[...ATTACHMENT_TYPES.keys()].join(', ')}`,
        },
      ];
    return [];
  });
}

/** Windows (MZ), ELF, Mach-O, and scripts with a `#!` line. */
function startsLikeProgram(content: Buffer): boolean {
  const head = content.subarray(0, 4).toString('latin1');
  return (
    head.startsWith('MZ') ||
    head.startsWith('#!') ||
    head === '\x7fELF' ||
    ['\xcf\xfa\xed\xfe', '\xce\xfa\xed\xfe', '\xca\xfe\xba\xbe'].includes(head)
  );
}
