import net from 'node:net';
import type { SourceAddress } from '../../routing/mx-endpoint.js';
import type { JsonReader } from '../../json-reader.js';
import type { PoolRule, SourcePool, WarmUpCurve, WarmUpPlan } from './throttling-plan.js';

const MINUTE_MS = 60_000;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;
const MAX_PER_DAY = 1_000_000_000;

/** `sources`: pools by name, each a list of addresses. @param heloName For sources without `helo`. */
export function readPools(reader: JsonReader, heloName: string): SourcePool[] {
  // An address is one source in all of its pools, so its limits are counted together.
  const known = new Map<string, SourceAddress>();
  return reader.entries().map(([name, pool]) => {
    if (!NAME.test(name)) throw pool.problem('has no proper name: small letters, digits, - and _, at most 64');
    const sources = pool.oneOrMore((one) => {
      const source = readSource(one, heloName);
      const same = known.get(source.address) ?? source;
      if (same.heloName !== source.heloName)
        throw one.problem(`gives ${source.address} another helo than before: ${same.heloName}`);
      known.set(source.address, same);
      return same;
    });
    return { name, sources };
  });
}

/** `rules`: the choice of a pool. */
export function readPoolRule(reader: JsonReader, pools: readonly SourcePool[]): PoolRule {
  const { domain, tag, pool } = reader.members(['comment', 'domain', 'tag', 'pool']);
  if (pool === undefined || (domain === undefined && tag === undefined))
    throw reader.problem('needs pool and at least one of domain and tag');
  if (pools.length === 0) throw pool.problem('has no meaning without pools in sources');
  return {
    domain: domain?.text(DOMAIN, 'a domain name in small letters such as news.example.com') ?? null,
    tag: tag === undefined ? null : readTag(tag),
    pool: pool.oneOf(...pools.map(({ name }) => name)),
  };
}

/** `warm_up`: one new address. Returns the address and its plan. */
export function readWarmUp(reader: JsonReader, pools: readonly SourcePool[]): [address: string, plan: WarmUpPlan] {
  const fields = ['address', 'started', ...CURVE, 'providers', 'pause_above', 'pause_minutes', 'comment'] as const;
  const { address, started, providers, pause_above, pause_minutes, ...rest } = reader.members(fields);
  if (address === undefined || started === undefined) throw reader.problem('needs address and started');
  const curve = readCurve(rest, DEFAULT_CURVE);
  if (pools.length === 0) throw address.problem('must be in one of the pools in sources');
  const known = pools.flatMap(({ sources }) => sources.map((source) => source.address));
  const plan = {
    startedAt: readDay(started),
    curve,
    providers: new Map((providers?.entries() ?? []).map(([name, own]) => [name, readCurve(own.members(CURVE), curve)])),
    pauseAbove: pause_above?.number(0.01, 1) ?? 0.2,
    pauseMs: (pause_minutes?.number(0.01, 10_080) ?? 240) * MINUTE_MS,
  };
  return [address.oneOf(...known), plan];
}

const CURVE = ['first_day', 'factor', 'until'] as const;
const DEFAULT_CURVE: WarmUpCurve = { firstDay: 50, factor: 2, until: 20_000 };

function readCurve(given: Partial<Record<string, JsonReader>>, defaults: WarmUpCurve): WarmUpCurve {
  const { first_day, factor, until } = given;
  return {
    firstDay: first_day?.integer(1, MAX_PER_DAY) ?? defaults.firstDay,
    factor: factor?.number(1.01, 10) ?? defaults.factor,
    until: until?.integer(1, MAX_PER_DAY) ?? defaults.until,
  };
}

function readSource(reader: JsonReader, heloName: string): SourceAddress {
  const { address, helo } = reader.members(['comment', 'address', 'helo']);
  if (address === undefined) throw reader.problem('needs address');
  const written = address.text(/^[0-9a-f:.]+$/, 'an IPv4 or IPv6 address in small letters');
  if (net.isIP(written) === 0) throw address.invalid('must be an IPv4 or IPv6 address');
  return { address: written, heloName: helo?.text(DOMAIN, 'the host name that its PTR record has') ?? heloName };
}

function readTag(reader: JsonReader): { key: string; value: string } {
  const written = reader.text(/^[^=]+=.*$/s, 'a tag such as stream=bulk');
  const at = written.indexOf('=');
  return { key: written.slice(0, at), value: written.slice(at + 1) };
}

function readDay(reader: JsonReader): number {
  const at = Date.parse(`${reader.text(/^\d{4}-\d\d-\d\d$/, 'a day such as 2026-11-01')}T00:00:00Z`);
  if (Number.isNaN(at)) throw reader.invalid('must be a day of the calendar');
  return at;
}
