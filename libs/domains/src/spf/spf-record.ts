import net from 'node:net';

/** A term of an SPF record (RFC 7208 §4.6.1): its text as written, its parts in lower case. */
export interface SpfTerm {
  text: string;
  kind: 'mechanism' | 'modifier';
  /** `+` by default; empty for modifiers. */
  qualifier: string;
  name: string;
  /** The text after the colon or the equals sign; empty where there is none. */
  argument: string;
}

const MECHANISM = /^([+?~-]?)(all|include|a|mx|ptr|ip4|ip6|exists)(?::([^/]\S*)|(\/\S*))?$/i;
const MODIFIER = /^([a-z][a-z0-9_.-]*)=(\S*)$/i;
const NEEDS_ARGUMENT = new Set(['include', 'exists', 'ip4', 'ip6']);

/** RFC 7208 §4.5: an SPF record begins with exactly this version. */
export const isSpf = (text: string): boolean => /^v=spf1(?: |$)/i.test(text);

/** The terms, or the first problem with which receivers fail (permerror). */
export function readSpf(text: string): SpfTerm[] | { problem: string } {
  const terms: SpfTerm[] = [];
  for (const written of writtenTerms(text)) {
    const term = readTerm(written);
    if (term === null || !isWellFormed(term)) return { problem: `"${written}" is no valid term` };
    terms.push(term);
  }
  for (const name of ['redirect', 'exp'])
    if (terms.filter((term) => term.kind === 'modifier' && term.name === name).length > 1)
      return { problem: `"${name}=" stands there twice` };
  return terms;
}

/** All terms as written, valid or not. */
export const writtenTerms = (text: string): string[] => text.split(' ').slice(1).filter(Boolean);

export function readTerm(written: string): SpfTerm | null {
  const modifier = MODIFIER.exec(written);
  if (modifier !== null)
    return {
      text: written,
      kind: 'modifier',
      qualifier: '',
      name: modifier[1].toLowerCase(),
      argument: modifier[2].toLowerCase(),
    };
  const mechanism = MECHANISM.exec(written);
  if (mechanism === null) return null;
  return {
    text: written,
    kind: 'mechanism',
    qualifier: mechanism[1] || '+',
    name: mechanism[2].toLowerCase(),
    argument: (mechanism.at(3) ?? mechanism.at(4) ?? '').toLowerCase(),
  };
}

function isWellFormed({ kind, name, argument }: SpfTerm): boolean {
  if (kind === 'modifier') return true;
  if (name === 'all') return argument === '';
  if (NEEDS_ARGUMENT.has(name) && (argument === '' || argument.startsWith('/'))) return false;
  return name === 'ip4' || name === 'ip6' ? isNetwork(argument, name === 'ip4' ? 4 : 6) : true;
}

function isNetwork(text: string, family: 4 | 6): boolean {
  const [address, bits, ...rest] = text.split('/');
  const fits = bits === undefined || (/^\d{1,3}$/.test(bits) && Number(bits) <= (family === 4 ? 32 : 128));
  return rest.length === 0 && fits && net.isIP(address) === family;
}
