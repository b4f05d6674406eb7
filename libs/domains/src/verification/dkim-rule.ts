import { missing, verified, wrong, type Judgement } from './judgement.js';

export interface ExpectedDkimKey {
  algorithm: 'rsa' | 'ed25519';
  /** The value of `p=`. */
  publicKey: string;
}

/** The key record of a selector (RFC 6376 §3.6.1). @param texts every TXT record of the name, strings joined */
export function judgeDkim(texts: readonly string[], expected: ExpectedDkimKey): Judgement {
  if (texts.length === 0) return missing('There is no record with this name yet. Add this one.');
  const observed = [...texts];
  if (texts.length > 1)
    return wrong(
      observed,
      'There is more than one record with this name, which makes the key unusable. Keep only this one.',
    );
  const error = problemOf(texts[0], expected);
  return error === null ? verified(observed) : wrong(observed, error);
}

function problemOf(text: string, expected: ExpectedDkimKey): string | null {
  if (/^"|\\;/.test(text))
    return 'The record contains quotation marks or backslashes. Enter the value exactly as shown.';
  const tags = readTagList(text);
  if (tags === null || !tags.has('p')) return 'What stands there is no DKIM key. Replace it by this record.';
  // If there is a version tag, it must be the first.
  if (tags.has('v') && (tags.keys().next().value !== 'v' || tags.get('v') !== 'DKIM1'))
    return 'The record must begin with v=DKIM1. Enter the value exactly as shown.';
  return keyProblem(tags, expected) ?? restriction(tags);
}

function keyProblem(tags: Map<string, string>, { algorithm, publicKey }: ExpectedDkimKey): string | null {
  const [type = 'rsa', key = ''] = [tags.get('k'), tags.get('p')?.replace(/\s/g, '')];
  if (key === '') return 'The key is revoked: p= is empty. Enter the value exactly as shown.';
  if (type !== algorithm)
    return `The record says k=${type}, the key is of type ${algorithm}. Enter the value as shown.`;
  if (key === publicKey) return null;
  return publicKey.startsWith(key)
    ? 'The key is cut off. Enter the whole value; over 255 characters it may have to be split into several strings.'
    : 'Another key stands there. Replace it by the value shown.';
}

/** Tags that prevent receivers from accepting our signature by this key. */
function restriction(tags: Map<string, string>): string | null {
  const list = (tag: string) =>
    tags
      .get(tag)
      ?.split(':')
      .map((word) => word.trim());
  if (list('h')?.includes('sha256') === false)
    return 'The record does not allow sha256 (h=). Enter the value as shown.';
  const services = list('s');
  if (services && !services.includes('*') && !services.includes('email'))
    return 'The record does not allow email (s=). Enter the value as shown.';
  return null;
}

/** The tags of `a=1; b=2` in order (RFC 6376 §3.2); null where the text is not such a list or repeats a tag. */
export function readTagList(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  const parts = text.split(';');
  if (parts.at(-1)?.trim() === '') parts.pop();
  for (const part of parts) {
    const [, name, value] = /^\s*([A-Za-z][A-Za-z0-9_]*)\s*=([\s\S]*)$/.exec(part) ?? [];
    if (name === undefined || tags.has(name)) return null;
    tags.set(name, value.trim());
  }
  return tags;
}
