import { LIMITS } from '#libs/contracts';
import { trustedProxies } from '../network/trusted-proxies.js';

/**
 * Converts the text of a setting to its value, or throws a sentence that says what is allowed and continues the name of
 * the setting.
 */
export type SettingParser<T> = (text: string) => T;

const UNIT_MS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

export const text: SettingParser<string> = (value) => value;

export const port: SettingParser<number> = (value) => {
  const n = Number(value);
  if (!/^\d+$/.test(value) || n > 65_535) throw new Error('must be a port number from 0 to 65535');
  return n;
};

export function wholeNumber(min: number, max: number): SettingParser<number> {
  return (value) => {
    const n = Number(value);
    if (!/^\d+$/.test(value) || n < min || n > max) throw new Error(`must be a whole number from ${min} to ${max}`);
    return n;
  };
}

export function oneOf<const T extends string>(...allowed: T[]): SettingParser<T> {
  return (value) => {
    const found = allowed.find((candidate) => candidate === value.toLowerCase());
    if (found === undefined) throw new Error(`must be one of ${allowed.join(', ')}`);
    return found;
  };
}

export const flag: SettingParser<boolean> = (value) => {
  if (/^(true|on|1|yes)$/i.test(value)) return true;
  if (/^(false|off|0|no)$/i.test(value)) return false;
  throw new Error('must be true or false');
};

/** `90s`, `15m`, `72h`, `250ms`, `3d` to milliseconds, up to a number of days. */
function durationUpTo(days: number): SettingParser<number> {
  return (value) => {
    const match = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(value.trim());
    if (!match) throw new Error(`must be a duration such as 500ms, 30s, 15m, 4h or 3d, of at most ${days}d`);
    const ms = Math.round(Number(match[1]) * UNIT_MS[match[2]]);
    if (ms > days * UNIT_MS['d']) throw new Error(`must be a duration of at most ${days}d`);
    return ms;
  };
}

/** `10`, `0.3` or `0.3%`. */
/** `name=value` pairs for the header of a request, separated by commas; values are percent-encoded. */
export const headerPairs: SettingParser<Record<string, string>> = (value) =>
  Object.fromEntries(
    value.split(',').map((pair) => {
      const [name, ...rest] = pair.split('=').map((part) => part.trim());
      const encoded = rest.join('=');
      if (!/^[\w!#$%&'*+.^`|~-]+$/.test(name) || !/^(?:[\x20-\x24\x26-\x7e]|%[0-9a-f]{2})+$/i.test(encoded))
        throw new Error('must be pairs such as authorization=Bearer%20secret, separated by commas');
      return [name, decodeURIComponent(encoded)];
    }),
  );

/** A part of a whole. */
export const fraction: SettingParser<number> = (value) => {
  const number = Number(value);
  if (!/^(0|1|0?\.\d{1,6}|1\.0*)$/.test(value) || number > 1)
    throw new Error('must be a number from 0 to 1, such as 0.1');
  return number;
};

export const percentage: SettingParser<number> = (value) => {
  const digits = value.endsWith('%') ? value.slice(0, -1) : value;
  const percent = Number(digits);
  if (!/^\d{1,3}(\.\d{1,3})?$/.test(digits) || percent <= 0 || percent > 100)
    throw new Error('must be a percentage above 0 and up to 100, such as 10 or 0.3');
  return percent;
};

/** For timers: Node.js fires timers of more than 2^31 ms (24.8 days) immediately. */
export const duration = durationUpTo(24);

/** A wait that must end, of at least 100 ms. */
export const positiveDuration: SettingParser<number> = (value) => {
  const ms = duration(value);
  if (ms < 100) throw new Error('must be a duration of at least 100ms, such as 1500ms or 5s');
  return ms;
};

const UNIT_BYTES: Record<string, number> = { KiB: 1024, MiB: 1024 ** 2, GiB: 1024 ** 3, TiB: 1024 ** 4 };

/** `512MiB`, `2GiB` to bytes; `0` is none. */
export const byteSize: SettingParser<number> = (value) => {
  if (value === '0') return 0;
  const match = /^(\d{1,6})(KiB|MiB|GiB|TiB)$/.exec(value);
  if (!match) throw new Error('must be a size such as 512MiB or 2GiB (KiB, MiB, GiB, TiB), or 0 for none');
  return Number(match[1]) * UNIT_BYTES[match[2]];
};

/** For periods whose end is stored in the database. */
export const longDuration = durationUpTo(366);

export const abuseWindow: SettingParser<number> = (value) => {
  const ms = longDuration(value);
  if (ms < 60_000) throw new Error('must be a duration of at least 1m, such as 24h');
  return ms;
};

/** `off`, `on`, or the addresses and networks of the proxies. */
export const proxies: SettingParser<string> = (value) => {
  try {
    trustedProxies(value);
  } catch (error) {
    throw new Error('must be off, on, or addresses and networks such as 10.0.0.0/8', { cause: error });
  }
  return value;
};

export const list: SettingParser<string[]> = (value) =>
  value
    .split(',')
    .map((part) => part.trim())
    .filter((part) => part !== '');

/** RFC 6838 §4.2. */
const MIME_TYPE = /^[a-z0-9][a-z0-9!#$&^_.+-]{0,126}\/[a-z0-9][a-z0-9!#$&^_.+-]{0,126}$/;

/** `all`, or MIME types. */
export const attachmentTypes: SettingParser<'all' | string[]> = (value) => {
  const types = list(value.toLowerCase());
  if (types.length === 1 && types[0] === 'all') return 'all';
  if (!types.every((type) => MIME_TYPE.test(type)))
    throw new Error('must be all, or a comma-separated list of MIME types such as text/calendar,application/json');
  return types;
};

/** A plan of an account and its weight in the turns at a destination. */
const PLAN_WEIGHT = /^(free|unlimited|[1-9]\d{0,9})=([1-9]|10)$/;

/** `unlimited=4,50000=2` to weights by plan. */
export const planWeights: SettingParser<Readonly<Record<string, number>>> = (value) => {
  const matches = list(value).map((entry) => PLAN_WEIGHT.exec(entry));
  const weights = new Map(matches.flatMap((match) => (match ? [[match[1], Number(match[2])] as const] : [])));
  if (weights.size < matches.length)
    throw new Error(
      'must be a comma-separated list of different plans with a weight from 1 to 10 each, such as free=1,unlimited=4',
    );
  return Object.fromEntries(weights);
};

/** `host:port`, comma-separated. */
export const brokers: SettingParser<string[]> = (value) => {
  const entries = list(value);
  if (
    entries.length === 0 ||
    !entries.every((entry) => /^(?:[\w.-]{1,253}|\[[0-9a-f:.]{2,45}\]):\d{1,5}$/i.test(entry))
  )
    throw new Error('must be a comma-separated list of host:port, such as kafka-1.example.com:9092');
  return entries;
};

export const longDurations: SettingParser<number[]> = (value) => {
  const parts = list(value);
  if (parts.length === 0) throw new Error('must be a comma-separated list of durations such as 1m,3m,10m');
  return parts.map(longDuration);
};

export function url(...protocols: string[]): SettingParser<string> {
  return (value) => {
    const allowed = protocols.map((p) => `${p}://`).join(' or ');
    let parsed: URL;
    try {
      parsed = new URL(value);
    } catch {
      throw new Error(`must be a URL that starts with ${allowed}`);
    }
    if (!protocols.includes(parsed.protocol.slice(0, -1))) throw new Error(`must be a URL that starts with ${allowed}`);
    let end = value.length;
    while (value[end - 1] === '/') end -= 1;
    return value.slice(0, end);
  };
}

/** Where the service processes mail, as a word of the operator. */
export const region: SettingParser<string> = (value) => {
  if (!/^[a-z][a-z0-9-]{0,30}[a-z0-9]$/.test(value))
    throw new Error('must be 2 to 32 lower-case letters, digits and hyphens, such as eu or us-east-1');
  return value;
};

const LABEL = '[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?';
const DOMAIN = new RegExp(`^${LABEL}(?:\\.${LABEL})+$`);

export const domainName: SettingParser<string> = (value) => {
  const name = value.toLowerCase().replace(/\.$/, '');
  if (name.length > 253 || !DOMAIN.test(name)) throw new Error('must be a domain name such as mail.example.com');
  return name;
};

export const domainNames: SettingParser<string[]> = (value) => [...new Set(list(value).map(domainName))];

/** `ip`, `ip:port` or `[ipv6]:port`, comma-separated. */
export const dnsServers: SettingParser<string[]> = (value) => {
  const servers = list(value);
  for (const server of servers) {
    if (!/^(\d{1,3}(\.\d{1,3}){3}(:\d{1,5})?|\[[0-9a-fA-F:]+\](:\d{1,5})?|[0-9a-fA-F:]+)$/.test(server))
      throw new Error('must be a comma-separated list of ip or ip:port');
  }
  return servers;
};

export const masterKey: SettingParser<Buffer> = (value) => {
  const key = Buffer.from(value, 'base64');
  if (key.length !== 32 || !/^[A-Za-z0-9+/]+=*$/.test(value))
    throw new Error('must be 32 bytes in base64, for example from: openssl rand -base64 32');
  return key;
};

/** ISO 8601 with an offset. */
export const moment: SettingParser<Date> = (value) => {
  const date = new Date(value);
  if (!/^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d)?(?:Z|[+-]\d\d:\d\d)$/.test(value) || Number.isNaN(date.getTime()))
    throw new Error('must be a time with an offset such as 2026-12-31T00:00:00Z');
  return date;
};

export const mailAddress: SettingParser<string> = (value) => {
  const parts = value.split('@');
  if (parts.length !== 2 || parts.includes('') || /\s/.test(value))
    throw new Error('must be an email address such as admin@example.com');
  return value;
};

export const password: SettingParser<string> = (value) => {
  if ([...value].length < LIMITS.passwordMinimum || value.length > LIMITS.passwordMaximum)
    throw new Error(`must have ${LIMITS.passwordMinimum} to ${LIMITS.passwordMaximum} characters`);
  return value;
};

export const bootstrapKey: SettingParser<string> = (value) => {
  if (!/^[!-9;-~]{24,200}$/.test(value) || new Set(value).size < 10)
    throw new Error('must be 24 to 200 printable characters without space or colon, at least 10 of them distinct');
  return value;
};

export interface SmtpOutTimeouts {
  connect: number;
  greeting: number;
  ehlo: number;
  mail: number;
  rcpt: number;
  data: number;
  dot: number;
  total: number;
}
export const smtpOutTimeouts =
  (defaults: SmtpOutTimeouts): SettingParser<SmtpOutTimeouts> =>
  (value) => {
    const result = { ...defaults };
    for (const pair of list(value)) {
      const [phase, limit] = pair.split('=');
      if (!(phase in defaults) || limit === undefined)
        throw new Error(`must be pairs such as connect=30s,total=20m of ${Object.keys(defaults).join(', ')}`);
      result[phase as keyof SmtpOutTimeouts] = duration(limit);
    }
    return result;
  };

export function clusterName(value: string): string {
  if (/^\w{1,64}$/.test(value)) return value;
  throw new Error('must be the name of a cluster: letters, digits and underscores');
}

export function plan(value: string): string {
  if (value === 'free' || value === 'unlimited' || /^[1-9]\d{0,9}$/.test(value)) return value;
  throw new Error('must be free, unlimited or a number of mails per month');
}
