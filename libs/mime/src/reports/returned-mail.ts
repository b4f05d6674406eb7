import { foldedLine } from './folded-line.js';
import type { ReturnedMail } from './inbound-report.js';
import { fieldOf, readHead, type ReportField } from './report-fields.js';
import type { ReportTree } from './report-parts.js';
import { COPY_FOLLOWS } from './report-phrases.js';

const RETURNED_TYPES = /^(?:message\/(?:rfc822|global)|(?:text|message)\/(?:rfc822|global)-headers?)$/;
const MESSAGE_ID = /<[^<>\s]{1,990}>/;
/** Longer ones are no paths (RFC 5321 §4.5.3.1.3), and looking through them takes its time. */
const MAX_PATH = 1_000;
const ADDRESS = /<?([^<>\s"]{1,250}@[^<>\s"]{1,250})>?/;
const MAX_QUOTED = 3_000;
/** Fields that nobody writes into an explanation. */
const COPY_HEAD = /^(?:return-path|received|dkim-signature|x-postloft-ref|message-id)[ \t]{0,9}:/i;
const COPY_MBOX = /^From \S{1,320} .{0,60}\d{4}$/;
const HEAD_LINE =
  /^(?:return-path|received|dkim-signature|x-postloft-ref|message-id|from|to|subject|date|mime-version|reply-to)[ \t]{0,9}:/i;

/** What the head of a returned message says; nothing in it is proved. */
export function returnedOf(fields: readonly ReportField[]): ReturnedMail {
  return {
    messageId: MESSAGE_ID.exec(fieldOf(fields, 'message-id'))?.[0] ?? null,
    trace: fieldOf(fields, 'x-postloft-ref') || null,
    returnPath: ADDRESS.exec(fieldOf(fields, 'return-path').slice(0, MAX_PATH))?.[1] ?? null,
  };
}

/** The head of the first returned message among the parts; empty where there is none. */
export function returnedFields({ parts }: ReportTree): ReportField[] {
  const part = parts.find(({ type }) => RETURNED_TYPES.test(type));
  if (part === undefined) return [];
  const from = part.body.findIndex((octet) => octet !== 0x0d && octet !== 0x0a);
  return readHead(part.body, Math.max(from, 0)).fields;
}

/** The head of a mail that is quoted in a text, from the line that `copyLine` found. */
export function quotedFields(lines: readonly string[], from: number): ReportField[] {
  const quoted = lines.slice(from, from + MAX_QUOTED);
  const start = quoted.findIndex((line) => HEAD_LINE.test(line));
  return start < 0 ? [] : readHead(Buffer.from(quoted.slice(start).join('\n'))).fields;
}

/** Where a text stops to speak of a mail and begins to show it; the number of lines where it never does. */
export function copyLine(lines: readonly string[]): number {
  const at = lines.findIndex(isCopy);
  return at < 0 ? lines.length : at;
}

const isCopy = (line: string): boolean =>
  line !== '' && (COPY_HEAD.test(line) || COPY_MBOX.test(line) || COPY_FOLLOWS.test(foldedLine(line.slice(0, 200))));
