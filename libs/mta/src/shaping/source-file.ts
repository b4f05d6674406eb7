import net from 'node:net';
import type { SourceAddress } from '../source-address.js';
import type { FilePlace } from './file-place.js';
import type { PoolRule, SourcePool, WarmUpCurve, WarmUpPlan } from './shaping-plan.js';

const MINUTE_MS = 60_000;
const NAME = /^[a-z0-9][a-z0-9_-]{0,63}$/;
const DOMAIN = /^(?=.{1,253}$)[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?(?:\.[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?)+$/;
const MOST_PER_DAY = 1_000_000_000;

/** `sources`: pools by name, each a list of addresses. `heloName` serves those that name no `helo`. */
export function readPools(place: FilePlace, heloName: string): SourcePool[] {
  // An address is one source, whatever pools it is in: its limits are counted together.
  const known = new Map<string, SourceAddress>();
  return place.entries().map(([name, pool]) => {
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

/** `rules`: which mail goes out by which pool. */
export function readPoolRule(place: FilePlace, pools: readonly SourcePool[]): PoolRule {
  const { domain, tag, pool } = place.members(['comment', 'domain', 'tag', 'pool']);
  if (pool === undefined || (domain === undefined && tag === undefined))
    throw place.problem('needs pool and at least one of domain and tag');
  if (pools.length === 0) throw pool.problem('has no meaning without pools in sources');
  return {
    domain: domain?.text(DOMAIN, 'a domain name in small letters such as news.example.com') ?? null,
    tag: tag === undefined ? null : readTag(tag),
    pool: pool.oneOf(...pools.map(({ name }) => name)),
  };
}

/** `warm_up`: one new address. Returns its address with its plan. */
export function readWarmUp(place: FilePlace, pools: readonly SourcePool[]): [address: string, plan: WarmUpPlan] {
  const fields = ['address', 'started', ...CURVE, 'providers', 'pause_above', 'pause_minutes', 'comment'] as const;
  const { address, started, providers, pause_above, pause_minutes, ...rest } = place.members(fields);
  if (address === undefined || started === undefined) throw place.problem('needs address and started');
  const curve = readCurve(rest, USUAL);
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
const USUAL: WarmUpCurve = { firstDay: 50, factor: 2, until: 20_000 };

function readCurve(given: Partial<Record<string, FilePlace>>, usual: WarmUpCurve): WarmUpCurve {
  const { first_day, factor, until } = given;
  return {
    firstDay: first_day?.whole(1, MOST_PER_DAY) ?? usual.firstDay,
    factor: factor?.number(1.01, 10) ?? usual.factor,
    until: until?.whole(1, MOST_PER_DAY) ?? usual.until,
  };
}

function readSource(place: FilePlace, heloName: string): SourceAddress {
  const { address, helo } = place.members(['comment', 'address', 'helo']);
  if (address === undefined) throw place.problem('needs address');
  const written = address.text(/^[0-9a-f:.]+$/, 'an IPv4 or IPv6 address in small letters');
  if (net.isIP(written) === 0) throw address.refused('must be an IPv4 or IPv6 address');
  return { address: written, heloName: helo?.text(DOMAIN, 'the host name that its PTR record has') ?? heloName };
}

function readTag(place: FilePlace): { key: string; value: string } {
  const written = place.text(/^[^=]+=.*$/s, 'a tag such as stream=bulk');
  const at = written.indexOf('=');
  return { key: written.slice(0, at), value: written.slice(at + 1) };
}

function readDay(place: FilePlace): number {
  const at = Date.parse(`${place.text(/^\d{4}-\d\d-\d\d$/, 'a day such as 2026-11-01')}T00:00:00Z`);
  if (Number.isNaN(at)) throw place.refused('must be a day of the calendar');
  return at;
}
