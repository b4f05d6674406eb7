/** What a server said when it refused. */
export interface RefusalWords {
  smtpCode: number | null;
  /** RFC 3463, where the words carry one. */
  status: string | null;
  /** In one line, without code and status. */
  text: string;
}

const LETTER = /\p{L}/u;
const MAX_WORDS = 4_000;
/** Codes of SMTP alone: other numbers of three digits are ports, sizes and times. */
const CODE = '(?:4(?:2[12]|3[0-4]|4[0-9]|5[0-9]|71)|5(?:0[0-5]|1[0-7]|2[1-5]|3[0-8]|41|5[0-9]|7[0-3]))';
const STATUS = '[245]\\.\\d{1,3}\\.\\d{1,3}(?!\\.?\\d)';
/** Behind these stand the words of another server. */
const QUOTED = new RegExp(
  `(?:->|\\b(?:said|reason|replied|response|returned was|returned|error|smtp)(?:[:;]| ?(?=['"])))\\s{0,5}['"<(]?\\s{0,5}(?=${CODE}(?!\\d)|#?${STATUS})`,
  'gi',
);
/** As they stand behind a number; a reply may begin with "Message" too. */
const UNIT = '(?!\\s?(?:[kKmMgG]i?[bB]|bytes?|seconds?|minutes?|hours?|days?|messages)\\b)';
const REPLY = new RegExp(`(?:^|[\\s:;,.(<\\[="'#])(${CODE})(?=[\\s:,;)\\]'"-]|$)${UNIT}`);
/** Not behind any blank: that would be the version of a program. */
const ENHANCED = new RegExp(`(?:^|[#(<'"]|\\b${CODE}[ -]|[=:;]\\s?)[#(]?(${STATUS})`, 'g');
/** x.y.0, x.7.1 and Exchange's x.0.350: the drawers for everything. */
const VAGUE = /^[245]\.(?:\d+\.0|7\.1|0\.\d+)$/;

/** Takes the innermost reply out of words such as `host a said: 550 5.1.1 …` or `550 5.0.350 … -> 550 5.1.1 …`. */
export function refusalWords(words: string): RefusalWords {
  const line = words.slice(0, MAX_WORDS).replace(/\s+/g, ' ').trim();
  const inner = innermost(line);
  const reply = REPLY.exec(inner);
  const code = reply?.[1] ?? null;
  const behind = withoutCodes(inner.slice(reply?.index ?? 0), code);
  const found = [...inner.matchAll(ENHANCED)].map(([, status]) => status);
  const agreeing = code === null ? found : found.filter((status) => status.startsWith(code[0]));
  return {
    smtpCode: code === null ? null : Number(code),
    status: agreeing.find((status) => !VAGUE.test(status)) ?? agreeing.at(0) ?? null,
    text: LETTER.test(behind) ? behind : withoutCodes(inner, code),
  };
}

/** The status that says most of a field and the words beside it: many systems write a drawer where they quote a reason. */
export function mostTelling(field: string | null, words: string | null): string | null {
  if (words !== null && !VAGUE.test(words)) return words;
  if (field !== null && !VAGUE.test(field)) return field;
  return words ?? field;
}

export const isVague = (status: string | null): boolean => status === null || VAGUE.test(status);

function innermost(line: string): string {
  const last = [...line.matchAll(QUOTED)].at(-1);
  return last === undefined ? line : line.slice(last.index + last[0].length);
}

/** A reply of several lines repeats its code in each. */
function withoutCodes(inner: string, code: string | null): string {
  const prefix = code === null ? `^#?${STATUS}\\s?` : `(?:^|\\s)#?${code}(?:[ :-]\\s?#?(?:${STATUS})?|$)`;
  const text = inner.replace(new RegExp(prefix, 'g'), ' ').replace(/\s+/g, ' ');
  return text
    .replace(/^[\s:;,.>'")\]]{1,20}/, '')
    .replace(/[\s#>'"]{1,20}$/, '')
    .trim();
}
