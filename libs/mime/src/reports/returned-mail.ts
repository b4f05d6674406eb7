import type { ReturnedMail } from './inbound-report.js';
import { fieldValue, readLenientHead, type ReportField } from './lenient-head.js';
import type { ReportMessage } from './report-parts.js';
import { foldText, RETURNED_COPY_FOLLOWS } from './phrases.js';

const RETURNED_TYPES = /^(?:message\/(?:rfc822|global)|(?:text|message)\/(?:rfc822|global)-headers?)$/;
const MESSAGE_ID = /<[^<>\s]{1,990}>/;
/** Longer values are not paths (RFC 5321 §4.5.3.1.3), and searching them takes long. */
const MAX_PATH = 1_000;
const ADDRESS = /<?([^<>\s"]{1,250}@[^<>\s"]{1,250})>?/;
const MAX_QUOTED = 3_000;
/** Fields that do not occur in the text for people. */
const COPY_HEAD = /^(?:return-path|received|dkim-signature|x-postloft-ref|message-id)[ \t]{0,9}:/i;
const COPY_MBOX = /^From \S{1,320} .{0,60}\d{4}$/;
const HEAD_LINE =
  /^(?:return-path|received|dkim-signature|x-postloft-ref|message-id|from|to|subject|date|mime-version|reply-to)[ \t]{0,9}:/i;

/** Reads the header of a returned message. Nothing in it is authenticated. */
export function readReturnedMail(fields: readonly ReportField[]): ReturnedMail {
  return {
    messageId: MESSAGE_ID.exec(fieldValue(fields, 'message-id'))?.[0] ?? null,
    trace: fieldValue(fields, 'x-postloft-ref') || null,
    returnPath: ADDRESS.exec(fieldValue(fields, 'return-path').slice(0, MAX_PATH))?.[1] ?? null,
  };
}

/** The header of the first returned message among the parts; empty where there is none. */
export function returnedFields({ parts }: ReportMessage): ReportField[] {
  const part = parts.find(({ type }) => RETURNED_TYPES.test(type));
  if (part === undefined) return [];
  const from = part.body.findIndex((octet) => octet !== 0x0d && octet !== 0x0a);
  return readLenientHead(part.body, Math.max(from, 0)).fields;
}

/** The header of the mail that is quoted in a text from the line that `findReturnedCopy` found. */
export function quotedFields(lines: readonly string[], from: number): ReportField[] {
  const quoted = lines.slice(from, from + MAX_QUOTED);
  const start = quoted.findIndex((line) => HEAD_LINE.test(line));
  return start < 0 ? [] : readLenientHead(Buffer.from(quoted.slice(start).join('\n'))).fields;
}

/** The line at which the copy of the returned mail begins; the number of lines where there is none. */
export function findReturnedCopy(lines: readonly string[]): number {
  const at = lines.findIndex(isCopy);
  return at < 0 ? lines.length : at;
}

const isCopy = (line: string): boolean =>
  line !== '' &&
  (COPY_HEAD.test(line) || COPY_MBOX.test(line) || RETURNED_COPY_FOLLOWS.test(foldText(line.slice(0, 200))));
