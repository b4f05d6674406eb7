import { QUOTED_REPLY_LABEL } from './phrases.js';

/** The reply of a server that refused a recipient. */
export interface QuotedReply {
  smtpCode: number | null;
  /** RFC 3463. */
  status: string | null;
  /** In one line, without the code and the status. */
  text: string;
}

const LETTER = /\p{L}/u;
const MAX_TEXT = 4_000;
/** SMTP codes only: other numbers of three digits are ports, sizes and times. */
const CODE = '(?:4(?:2[12]|3[0-4]|4[0-9]|5[0-9]|71)|5(?:0[0-5]|1[0-7]|2[1-5]|3[0-8]|41|5[0-9]|7[0-3]))';
const STATUS = '[245]\\.\\d{1,3}\\.\\d{1,3}(?!\\.?\\d)';
/** Precedes the reply of another server. */
const BEFORE_QUOTED_REPLY = new RegExp(
  `(?:->|\\b${QUOTED_REPLY_LABEL}(?:[:;]| ?(?=['"])))\\s{0,5}['"<(]?\\s{0,5}(?=${CODE}(?!\\d)|#?${STATUS})`,
  'gi',
);
/** Units after a number that is not a code. Not "message", because replies begin with that word too. */
const UNIT = '(?!\\s?(?:[kKmMgG]i?[bB]|bytes?|seconds?|minutes?|hours?|days?|messages)\\b)';
const REPLY = new RegExp(`(?:^|[\\s:;,.(<\\[="'#])(${CODE})(?=[\\s:,;)\\]'"-]|$)${UNIT}`);
/** Not after any space: that would be the version of a program. */
const ENHANCED = new RegExp(`(?:^|[#(<'"]|\\b${CODE}[ -]|[=:;]\\s?)[#(]?(${STATUS})`, 'g');
/** x.y.0, x.7.1 and Exchange's x.0.350 are used for failures of all kinds. */
const GENERIC_STATUS = /^[245]\.(?:\d+\.0|7\.1|0\.\d+)$/;

/** Reads the innermost reply of text such as `host a said: 550 5.1.1 …` or `550 5.0.350 … -> 550 5.1.1 …`. */
export function readQuotedReply(text: string): QuotedReply {
  const line = text.slice(0, MAX_TEXT).replace(/\s+/g, ' ').trim();
  const inner = innermostReply(line);
  const reply = REPLY.exec(inner);
  const code = reply?.[1] ?? null;
  const afterCode = withoutCodes(inner.slice(reply?.index ?? 0), code);
  const found = [...inner.matchAll(ENHANCED)].map(([, status]) => status);
  const agreeing = code === null ? found : found.filter((status) => status.startsWith(code[0]));
  return {
    smtpCode: code === null ? null : Number(code),
    status: agreeing.find((status) => !GENERIC_STATUS.test(status)) ?? agreeing.at(0) ?? null,
    text: LETTER.test(afterCode) ? afterCode : withoutCodes(inner, code),
  };
}

/** Many systems put a generic status into the field and quote the specific one in the text. */
export function moreSpecificStatus(field: string | null, quoted: string | null): string | null {
  if (quoted !== null && !GENERIC_STATUS.test(quoted)) return quoted;
  if (field !== null && !GENERIC_STATUS.test(field)) return field;
  return quoted ?? field;
}

export const isGenericStatus = (status: string | null): boolean => status === null || GENERIC_STATUS.test(status);

function innermostReply(line: string): string {
  const last = [...line.matchAll(BEFORE_QUOTED_REPLY)].at(-1);
  return last === undefined ? line : line.slice(last.index + last[0].length);
}

/** A multiline reply repeats its code in each line. */
function withoutCodes(inner: string, code: string | null): string {
  const prefix = code === null ? `^#?${STATUS}\\s?` : `(?:^|\\s)#?${code}(?:[ :-]\\s?#?(?:${STATUS})?|$)`;
  const text = inner.replace(new RegExp(prefix, 'g'), ' ').replace(/\s+/g, ' ');
  return text
    .replace(/^[\s:;,.>'")\]]{1,20}/, '')
    .replace(/[\s#>'"]{1,20}$/, '')
    .trim();
}
