import { isIP } from 'node:net';
import { abuseWindow, domainName, flag, list, percentage, wholeNumber, type SettingParser } from './setting-parsers.js';

/** A pool of SHAPING_FILE, or addresses with the names in their PTR records. */
type PenaltyPoolSetting = { pool: string } | { sources: { address: string; helo: string | null }[] };

/** `penalty`, or `192.0.2.9=smtp9.example.org,2001:db8::9`. */
const penaltyPool: SettingParser<PenaltyPoolSetting> = (value) => {
  const entries = list(value.toLowerCase());
  if (entries.length === 1 && /^[a-z0-9][a-z0-9_-]{0,63}$/.test(entries[0])) return { pool: entries[0] };
  const sources = entries.map((entry) => {
    const [address, helo, ...more] = entry.split('=');
    if (isIP(address) === 0 || more.length > 0)
      throw new Error(
        'must be the name of a pool of SHAPING_FILE, or a comma-separated list of addresses with EHLO names such as 192.0.2.9=smtp9.example.org',
      );
    return { address, helo: helo === undefined ? null : domainName(helo) };
  });
  const addresses = new Set(sources.map(({ address }) => address));
  if (addresses.size === 0) throw new Error('must not be empty');
  if (addresses.size < sources.length) throw new Error('must have each address once');
  return { sources };
};

const withDefault = <T>(parse: SettingParser<T>, fallback: string) => ({ parse, fallback, secret: false });

/** The limits above which an account is paused; the penalty pool, and the limits above which an account is moved there. */
export const ABUSE_SETTINGS = {
  ABUSE_BRAKES: withDefault(flag, 'on'),
  ABUSE_WINDOW: withDefault(abuseWindow, '24h'),
  ABUSE_MINIMUM_RECIPIENTS: withDefault(wholeNumber(1, 1_000_000_000), '1000'),
  ABUSE_BOUNCE_PERCENT: withDefault(percentage, '10'),
  ABUSE_COMPLAINT_PERCENT: withDefault(percentage, '0.3'),
  PENALTY_POOL: { parse: penaltyPool as SettingParser<PenaltyPoolSetting | undefined>, secret: false },
  PENALTY_MINIMUM_RECIPIENTS: withDefault(wholeNumber(1, 1_000_000_000), '500'),
  PENALTY_BOUNCE_PERCENT: withDefault(percentage, '5'),
  PENALTY_COMPLAINT_PERCENT: withDefault(percentage, '0.2'),
  PENALTY_BLOCK_PERCENT: withDefault(percentage, '5'),
  PENALTY_CLEAN_DAYS: withDefault(wholeNumber(1, 365), '7'),
};
