import { queueNames } from '#libs/contracts';
import type { SourceAddress } from '../routing/mx-endpoint.js';
import type { PoolRule, ThrottlingPlan } from './plan/throttling-plan.js';
import type { Sender } from './throttling.js';

export type Sources = readonly (SourceAddress | null)[];

/** The only choice of a host without pools: the address that the system chooses. */
const SYSTEM: Sources = [null];

/** Selects the source addresses of a sender. */
export class SourcePools {
  /** Every ordinary address once. */
  private readonly ordinary: Sources;
  private readonly penalty: Sources;
  private readonly pools: ReadonlyMap<string, Sources>;
  private readonly rules: readonly PoolRule[];
  private readonly defaultSources: Sources;
  private readonly byAddress: ReadonlyMap<string, SourceAddress>;

  constructor({ pools, penaltyPool, rules }: Pick<ThrottlingPlan, 'pools' | 'penaltyPool' | 'rules'>) {
    this.pools = new Map(pools.map(({ name, sources }) => [name, sources]));
    this.rules = rules;
    this.defaultSources = pools[0]?.sources ?? SYSTEM;
    this.byAddress = new Map(
      [...pools, ...(penaltyPool === null ? [] : [penaltyPool])].flatMap(({ sources }) =>
        sources.map((source) => [source.address, source]),
      ),
    );
    this.ordinary = pools.length === 0 ? SYSTEM : [...new Set(pools.flatMap(({ sources }) => sources))];
    this.penalty = penaltyPool?.sources ?? this.ordinary;
  }

  /** The addresses that serve a queue, each once; at least one. */
  all(queue: string): Sources {
    return queueNames.penaltyQueue.is(queue) ? this.penalty : this.ordinary;
  }

  /** Those of a sender; at least one. */
  of(queue: string, { domain, tags }: Sender): Sources {
    if (queueNames.penaltyQueue.is(queue)) return this.penalty;
    for (const rule of this.rules) {
      if (rule.domain !== null && rule.domain !== domain) continue;
      if (rule.tag !== null && tags[rule.tag.key] !== rule.tag.value) continue;
      return this.pools.get(rule.pool) ?? this.defaultSources;
    }
    return this.defaultSources;
  }

  /** Undefined for an address that is in no pool. */
  find(address: string | null): SourceAddress | null | undefined {
    return address === null ? this.ordinary.find((source) => source === null) : this.byAddress.get(address);
  }
}
