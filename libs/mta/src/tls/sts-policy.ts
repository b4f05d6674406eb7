/** The MTA-STS policy of a domain (RFC 8461 §3.2). */
export interface StsPolicy {
  mode: 'enforce' | 'testing' | 'none';
  /** In lower case. `*.example.org` stands for any one label before the rest. */
  mx: readonly string[];
  maxAgeSeconds: number;
}

export type StsReading = { kind: 'policy'; policy: StsPolicy } | { kind: 'invalid'; reason: string };

/** RFC 8461 §3.2: one year. */
const MAX_SECONDS = 31_557_600;
/** More than any real domain has. */
const MAX_PATTERNS = 100;
const KEY = /^[A-Za-z0-9][A-Za-z0-9_.-]*$/;
const HOST = /^(?:\*\.)?[a-z0-9](?:[a-z0-9-]*[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]*[a-z0-9])?)*$/;

/**
 * Parses a policy file, of which at most 64 kB are fetched. Unknown keys are ignored. Of repeated keys (except `mx`) the
 * first one counts. Linear.
 */
export function readStsPolicy(text: string): StsReading {
  const { fields, mx } = readLines(text);
  const mode = fields.get('mode');
  const maxAge = fields.get('max_age') ?? '';
  if (fields.get('version') !== 'STSv1') return invalid('it has no line "version: STSv1"');
  if (mode !== 'enforce' && mode !== 'testing' && mode !== 'none')
    return invalid('its mode is not enforce, testing or none');
  if (!/^\d{1,10}$/.test(maxAge)) return invalid('its max_age is not a number of seconds');
  if (mode !== 'none' && mx.length === 0) return invalid('it names no mx');
  if (mx.length > MAX_PATTERNS || !mx.every((pattern) => HOST.test(pattern)))
    return invalid('one of its mx lines is no host name');
  return { kind: 'policy', policy: { mode, mx, maxAgeSeconds: Math.min(Number(maxAge), MAX_SECONDS) } };
}

function readLines(text: string): { fields: Map<string, string>; mx: string[] } {
  const fields = new Map<string, string>();
  const mx: string[] = [];
  for (const line of text.split(/\r?\n/)) {
    const colon = line.indexOf(':');
    const key = line.slice(0, Math.max(colon, 0)).trim();
    const value = line.slice(colon + 1).trim();
    if (!KEY.test(key)) continue;
    if (key === 'mx') mx.push(value.toLowerCase().replace(/\.$/, ''));
    else if (!fields.has(key)) fields.set(key, value);
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
 * The id of the only MTA-STS record among the TXT records of `_mta-sts` (RFC 8461 §3.1). Null: the domain has no
 * policy, which several records or one without an id mean as well.
 */
export function stsId(texts: readonly string[]): string | null {
  const records = texts.filter((text) => /^v=STSv1[ \t]*;/.test(text));
  if (records.length !== 1) return null;
  return /;[ \t]*id=([A-Za-z0-9]{1,32})[ \t]*(?:;|$)/.exec(records[0])?.[1] ?? null;
}

function invalid(reason: string): StsReading {
  return { kind: 'invalid', reason };
}
