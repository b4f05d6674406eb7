import { LIMITS, Refusal } from '#libs/contracts';
import { joinInTurns, type TurnGate } from '#libs/kernel';
import { decodeTransfer, type FoundFile } from '#libs/mime';
import { filenameProblems } from './attachment-names.js';
import { forbiddenAttachments, forbiddenOtherName, named } from './attachment-rules.js';
import type { RuleProblem } from './rule.js';
import type { Attachment } from './submission.js';

/** Types by which programs say that they do not know the type (RFC 2046 §4.5.1). */
const SAYS_NOTHING = new Set(['application/octet-stream', 'application/x-octet-stream', 'binary/octet-stream']);
/** Of a file's name in a reply, whose line has room for 512 octets (RFC 5321 §4.5.3.1.5). */
const MAX_SHOWN = 60;
/** Files up to this size are judged as they come, larger ones by turns. */
const LIGHT_BYTES = 64 * 1024;
/** Of quoted-printable, which no native decoder reads. */
const SLICE_BYTES = 1024 * 1024;
const LF = 0x0a;

/**
 * Judges the files of a relayed message by the rules that hold for `attachments` of the API (details §3). How large the
 * message may be is its door's matter: there the octets count that came.
 * @throws Refusal `attachment_not_allowed`, naming the file.
 */
export async function requireAllowedFiles(files: readonly FoundFile[], heavySteps: TurnGate): Promise<void> {
  const extra = files.at(LIMITS.attachmentCount);
  if (extra)
    throw refusal(extra, LIMITS.attachmentCount, {
      code: 'too_many',
      message: `is one too many; at most ${LIMITS.attachmentCount} attachments are allowed`,
    });
  for (const [index, file] of files.entries()) {
    const content = await contentOf(file, heavySteps);
    if (content.length > LIGHT_BYTES) await heavySteps.pass(content.length);
    const [problem] = fileProblems(file, index, content);
    if (problem) throw refusal(file, index, problem);
  }
}

/** Decoded line by line, if at all, as far as one turn has room: a soft line end (RFC 2045 §6.7) is within its line. */
async function contentOf({ encoded, encoding }: FoundFile, heavySteps: TurnGate): Promise<Buffer> {
  const slice = encoding === 'quoted-printable' ? SLICE_BYTES : encoded.length;
  const pieces: Buffer[] = [];
  for (let from = 0; from < encoded.length;) {
    const lineEnd = encoded.indexOf(LF, from + slice - 1) + 1;
    const lines = encoded.subarray(from, lineEnd > 0 ? lineEnd : encoded.length);
    if (lines.length > LIGHT_BYTES) await heavySteps.pass(lines.length);
    pieces.push(decodeTransfer(lines, encoding));
    from += lines.length;
  }
  return joinInTurns(pieces);
}

function fileProblems(file: FoundFile, index: number, content: Buffer): RuleProblem[] {
  const { contentType } = file;
  const [filename = `attachment-${index + 1}`, ...others] = file.names;
  const malformed = filenameProblems(filename, '');
  if (malformed.length > 0) return malformed;
  const attachment: Attachment = named({
    filename,
    contentType: SAYS_NOTHING.has(contentType) ? '' : contentType,
    content,
  });
  const forbidden = forbiddenAttachments([attachment]);
  return forbidden.length > 0 ? forbidden : others.flatMap((other) => forbiddenOtherName(other, attachment));
}

function refusal(file: FoundFile, index: number, { code, message }: Omit<RuleProblem, 'path'>): Refusal {
  const field = shown(file, index);
  return new Refusal('attachment_not_allowed', [{ field, code, message }], 'An attachment is not allowed.');
}

/** In quotes and in ASCII, as replies are without SMTPUTF8 (RFC 6531 §3.7.4.1). */
function shown({ names: [name] }: FoundFile, index: number): string {
  if (name === undefined) return `attachment ${index + 1}`;
  const short = name.length > MAX_SHOWN ? `${name.slice(0, MAX_SHOWN)}...` : name;
  return JSON.stringify(short).replace(
    /[^ -~]/g,
    (letter) => `\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`,
  );
}
