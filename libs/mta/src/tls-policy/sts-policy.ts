/** A domain's MTA-STS policy (RFC 8461 §3.2). */
export interface StsPolicy {
  mode: 'enforce' | 'testing' | 'none';
  /** Lower case; `*.example.org` stands for any one label before the rest. */
  mx: readonly string[];
  maxAgeSeconds: number;
}

export type StsReading = { kind: 'policy'; policy: StsPolicy } | { kind: 'invalid'; reason: string };

/** RFC 8461 §3.2: one year. */
const LONGEST_SECONDS = 31_557_600;
/** More than any honest domain has. */
const MOST_PATTERNS = 100;
const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/** Reads a policy file. Unknown keys are skipped, of keys said twice (but `mx`) the first one counts. */
export function readStsPolicy(text: string): StsReading {
  const { fields, mx } = readLines(text);
  const mode = fields.get('mode');
  const maxAge = fields.get('max_age') ?? '';
  if (fields.get('version') !== 'STSv1') return invalid('it has no line "version: STSv1"');
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none')
    return invalid('its mode is not enforce, testing or none');
  if (!/^\d{1,10}$/.test(maxAge)) return invalid('its max_age is not a number of seconds');
  if (mode !== 'none' && mx.length === 0) return invalid('it names no mx');
  if (mx.length > MOST_PATTERNS || !mx.every((pattern) => HOST.test(pattern)))
    return invalid('one of its mx lines is no host name');
  return { kind: 'policy', policy: { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), LONGEST_SECONDS) } };
}

function readLines(text: string): { fields: Map<string, string>; mx: string[] } {
  const fields = new Map<string, string>();
  const mx: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const [, key, value] = /^[ \t]*([A-Za-z0-9][A-Za-z0-9_.-]*)[ \t]*:[ \t]*(.*?)[ \t]*$/.exec(line) ?? [];
    if (key === 'mx') mx.push(value.toLowerCase().replace(/\.$/, ''));
    else if (key !== undefined && !fields.has(key)) fields.set(key, value);
  }
  return { fields, mx };
}

/** The lines of the policy, for a report. */
export function stsLines({ mode, mx, maxAgeSeconds }: StsPolicy): string[] {
  return ['version: STSv1', `mode: ${mode}`, ...mx.map((one) => `mx: ${one}`), `max_age: ${maxAgeSeconds}`];
}

/** RFC 8461 §4.1: whole names, or one label in the place of the asterisk. */
export function permitsMx({ mx }: StsPolicy, host: string): boolean {
  const name = host.toLowerCase();
  const behind = name.slice(name.indexOf('.'));
  return mx.some((pattern) =>
    pattern.startsWith('*.') ? name.includes('.') && pattern.slice(1) === behind : pattern === name,
  );
}

/**
 * The id of the one MTA-STS record among the texts at `_mta-sts` (RFC 8461 §3.1); null: the domain has no policy, which is
 * also what several records or one without an id mean.
 */
export function stsId(texts: readonly string[]): string | null {
  const records = texts.filter((text) => /^v=STSv1[ \t]*;/.test(text));
  if (records.length !== 1) return null;
  return /;[ \t]*id=([A-Za-z0-9]{1,32})[ \t]*(?:;|$)/.exec(records[0])?.[1] ?? null;
}

function invalid(reason: string): StsReading {
  return { kind: 'invalid', reason };
}
