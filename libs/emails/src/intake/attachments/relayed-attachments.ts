import { LIMITS, Refusal, type RuleProblem } from '#libs/contracts';
import { decodeTransferEncoding, type FoundFile } from '#libs/mime';
import { LoopBudget, yielding } from '#libs/kernel';
import { filenameProblems } from './attachment-names.js';
import { forbiddenAttachments, forbiddenOtherName, withContentType } from './attachment-rules.js';
import { NO_FURTHER_TYPES, type FurtherTypes } from './attachment-types.js';
import type { Attachment } from '../../message/submitted-content.js';

/** Of a file name in a reply; a reply line has at most 512 octets (RFC 5321 §4.5.3.1.5). */
const MAX_NAME_CHARACTERS = 60;
/** Larger files wait for their share of the event loop. */
const SMALL_BYTES = 64 * 1024;
/** Bytes of quoted-printable decoded at once; there is no native decoder. */
const SLICE_BYTES = 1024 * 1024;
/** Bytes of large files that are decoded or checked per turn of the event loop. */
const loopBudget = new LoopBudget(1024 * 1024);
const LF = 0x0a;

/**
 * Checks the files of a relayed message by the rules for `attachments` of the API
 * (docs/decisions/010-attachments-over-smtp.md). The SMTP session has checked the size of the message.
 * @throws Refusal `attachment_not_allowed`, naming the file.
 */
export async function requireAllowedFiles(
  files: readonly FoundFile[],
  further: FurtherTypes = NO_FURTHER_TYPES,
): Promise<void> {
  const extra = files.at(LIMITS.attachmentCount);
  if (extra)
    throw refusal(extra, LIMITS.attachmentCount, {
      code: 'too_many',
      message: `is one too many; at most ${LIMITS.attachmentCount} attachments are allowed`,
    });
  for (const [index, file] of files.entries()) {
    const content = await decodeContent(file);
    if (content.length > SMALL_BYTES) await loopBudget.spend(content.length);
    const [problem] = fileProblems({ ...file, index }, content, further);
    if (problem) throw refusal(file, index, problem);
  }
}

/**
 * Decodes in slices that end at line ends, as far as the event-loop budget allows. A soft line break (RFC 2045 §6.7)
 * does not cross a line end.
 */
async function decodeContent({ encoded, encoding }: FoundFile): Promise<Buffer> {
  const slice = encoding === 'quoted-printable' ? SLICE_BYTES : encoded.length;
  const pieces: Buffer[] = [];
  for (let from = 0; from < encoded.length;) {
    const lineEnd = encoded.indexOf(LF, from + slice - 1) + 1;
    const lines = encoded.subarray(from, lineEnd > 0 ? lineEnd : encoded.length);
    if (lines.length > SMALL_BYTES) await loopBudget.spend(lines.length);
    pieces.push(decodeTransferEncoding(lines, encoding));
    from += lines.length;
  }
  return yielding.concat(pieces);
}

function fileProblems(file: FoundFile & { index: number }, content: Buffer, further: FurtherTypes): RuleProblem[] {
  const { contentType, index } = file;
  const [filename = `attachment-${index + 1}`, ...others] = file.names;
  const malformed = filenameProblems(filename, '');
  if (malformed.length > 0) return malformed;
  const attachment: Attachment = withContentType({ filename, contentType, content });
  const forbidden = forbiddenAttachments([attachment], further);
  return forbidden.length > 0 ? forbidden : others.flatMap((other) => forbiddenOtherName(other, attachment));
}

function refusal(file: FoundFile, index: number, { code, message }: Omit<RuleProblem, 'path'>): Refusal {
  const field = printableName(file, index);
  return new Refusal('attachment_not_allowed', [{ field, code, message }], 'An attachment is not allowed.');
}

/** Quoted and in ASCII, as replies must be without SMTPUTF8 (RFC 6531 §3.7.4.1). */
function printableName({ names: [name] }: FoundFile, index: number): string {
  if (name === undefined) return `attachment ${index + 1}`;
  const short = name.length > MAX_NAME_CHARACTERS ? `${name.slice(0, MAX_NAME_CHARACTERS)}...` : name;
  return JSON.stringify(short).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
