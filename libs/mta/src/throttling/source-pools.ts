import type { SourceAddress } from '../routing/mx-endpoint.js';
import type { PoolRule, ThrottlingPlan } from './plan/throttling-plan.js';
import type { Sender } from './throttling.js';

type Sources = readonly (SourceAddress | null)[];

/** The only choice of a host without pools: the address that the system chooses. */
const SYSTEM: Sources = [null];

/** Selects the source addresses of a sender. */
export class SourcePools {
  /** Every address once. */
  readonly all: Sources;
  private readonly pools: ReadonlyMap<string, Sources>;
  private readonly rules: readonly PoolRule[];
  private readonly defaultSources: Sources;
  private readonly byAddress: ReadonlyMap<string, SourceAddress>;

  constructor({ pools, rules }: Pick<ThrottlingPlan, 'pools' | 'rules'>) {
    this.pools = new Map(pools.map(({ name, sources }) => [name, sources]));
    this.rules = rules;
    this.defaultSources = pools[0]?.sources ?? SYSTEM;
    this.byAddress = new Map(pools.flatMap(({ sources }) => sources.map((source) => [source.address, source])));
    this.all = pools.length === 0 ? SYSTEM : [...this.byAddress.values()];
  }

  /** At least one. */
  of({ domain, tags }: Sender): Sources {
    for (const rule of this.rules) {
      if (rule.domain !== null && rule.domain !== domain) continue;
      if (rule.tag !== null && tags[rule.tag.key] !== rule.tag.value) continue;
      return this.pools.get(rule.pool) ?? this.defaultSources;
    }
    return this.defaultSources;
  }

  /** Undefined for an address that is in no pool. */
  find(address: string | null): SourceAddress | null | undefined {
    if (address === null) return this.pools.size === 0 ? null : undefined;
    return this.byAddress.get(address);
  }
}
