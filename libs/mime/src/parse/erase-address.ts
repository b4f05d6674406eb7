import { streamSafe, type AddressErasure } from '#libs/contracts';
import { normaliseAddress } from './mailbox.js';

/** Characters that continue a local part or a domain, so that `joann@example.com` does not contain `ann@example.com`. */
const CONTINUES = /[\p{L}\p{M}\p{N}._+-]/u;
const BEYOND_ASCII = /[^\0-\x7f]/;
const LETTER_WITH_MARKS = /(\p{L})(\p{M}{1,8})/gu;
/** Circumflex, breve and horn make another letter of the alphabet. */
const SHAPE = /[\u0302\u0306\u031b]/g;
const NOT_SHAPE = /[^\u0302\u0306\u031b]/g;
const CONTINUES_DOMAIN = /[\p{L}\p{N}_-]/u;

/**
 * @param written the address as it occurs in stored data: in any case and Unicode form, and with a domain in Unicode or in
 * A-labels
 */
export function addressErasure(of: {
  accountId: string;
  address: string;
  erasedAs: string;
  written: readonly string[];
}): AddressErasure {
  const address = normaliseAddress(of.address);
  const forms = [...new Set([address, ...of.written].flatMap(formsOf))];
  const withoutForms = (text: string) => forms.reduce((result, form) => replaced(result, form, of.erasedAs), text);
  const rewrite = (text: string) => {
    const result = withoutForms(text);
    if (!BEYOND_ASCII.test(address) || !BEYOND_ASCII.test(result)) return result;
    // A form that is neither composed nor decomposed throughout.
    const normal = streamSafe(result).normalize('NFC');
    const rewritten = withoutForms(normal);
    return rewritten === normal ? result : rewritten;
  };
  const rewriteJson = <T>(value: T): T => mapTexts(value, rewrite) as T;
  return {
    accountId: of.accountId,
    address,
    erasedAs: of.erasedAs,
    needles: [...new Set(forms.flatMap((form) => [form, JSON.stringify(form).slice(1, -1)]))],
    rewrite,
    rewriteJson,
    rewriteEvent: (json) => JSON.stringify(withoutVisitor(rewriteJson(JSON.parse(json) as unknown), of.erasedAs)),
  };
}

/** In lower case: as it is and in other Unicode forms, each also as in the query of a URL. */
function formsOf(written: string): string[] {
  const text = written.trim();
  return [text, ...(BEYOND_ASCII.test(text) ? unicodeFormsOf(text) : [])].flatMap((form) => {
    const lower = lowerCase(form);
    return [lower, lower.replaceAll('@', '%40'), lowerCase(encodeURIComponent(lower))];
  });
}

/** Composed, decomposed, and with the tone marks of Vietnamese alone decomposed, as Windows-1258 has them. */
function unicodeFormsOf(text: string): string[] {
  const decomposed = text.normalize('NFD');
  const tones = decomposed.replace(LETTER_WITH_MARKS, (_, letter: string, marks: string) => {
    const shape = marks.replace(NOT_SHAPE, '');
    return (letter + shape).normalize('NFC') + marks.replace(SHAPE, '');
  });
  return [text.normalize('NFC'), decomposed, tones];
}

/** Of the same length as the text, so that positions are equal in both. */
function lowerCase(text: string): string {
  const lower = text.toLowerCase();
  return lower.length === text.length ? lower : text.replaceAll(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function replaced(text: string, form: string, replacement: string): string {
  const lower = lowerCase(text);
  const parts: string[] = [];
  let from = 0;
  for (let at = lower.indexOf(form); at >= 0; at = lower.indexOf(form, at + form.length)) {
    if (isPartOfLonger(lower, at, at + form.length)) continue;
    parts.push(text.slice(from, at), replacement);
    from = at + form.length;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(from);
}

function isPartOfLonger(text: string, start: number, end: number): boolean {
  if (start > 0 && CONTINUES.test(text[start - 1]))
    return !/%[0-9a-f]{2}$/.test(text.slice(Math.max(0, start - 3), start));
  const next = text[end] ?? '';
  return CONTINUES_DOMAIN.test(next) || (next === '.' && CONTINUES_DOMAIN.test(text[end + 1] ?? ''));
}

function mapTexts(value: unknown, rewrite: (text: string) => string): unknown {
  if (typeof value === 'string') return rewrite(value);
  if (Array.isArray(value)) return value.map((item) => mapTexts(item, rewrite));
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, mapTexts(item, rewrite)]));
}

/** The data of an event, or the body of a webhook around it: address and user agent of an open or click tell who it was. */
function withoutVisitor(value: unknown, erasedAs: string): unknown {
  if (!isRecord(value)) return value;
  if (isRecord(value['data'])) return { ...value, data: withoutVisitor(value['data'], erasedAs) };
  const { recipient = value['to'] } = value;
  if (recipient !== erasedAs && !(Array.isArray(recipient) && recipient.includes(erasedAs))) return value;
  return { ...value, ...withoutReader(value), ...withoutClicker(value) };
}

const withoutReader = (data: Record<string, unknown>): object =>
  data['opened_at'] === undefined ? {} : { ip: null, user_agent: null };

const withoutClicker = ({ click }: Record<string, unknown>): object =>
  isRecord(click) ? { click: { ...click, ipAddress: null, userAgent: null } } : {};

const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
