import { ConfigError, type Config } from '#libs/kernel';
import type { SourcePool, ThrottlingPlan } from './throttling-plan.js';

export type PenaltyPoolSetting = NonNullable<Config['settings']['PENALTY_POOL']>;

/**
 * The plan with the penalty pool of PENALTY_POOL, which leaves the ordinary pools: it shares no address with them, so that
 * they do not share a reputation.
 * @param heloName For addresses without a name of their own
 * @throws ConfigError with one sentence
 */
export function withPenaltyPool(plan: ThrottlingPlan, given: PenaltyPoolSetting, heloName: string): ThrottlingPlan {
  const penaltyPool = 'pool' in given ? namedPool(plan, given.pool) : listedPool(given.sources, heloName);
  const pools = plan.pools.filter((pool) => pool !== penaltyPool);
  for (const { name, sources } of pools)
    for (const { address } of penaltyPool.sources)
      if (sources.some((source) => source.address === address))
        throw new ConfigError(
          `PENALTY_POOL has the address ${address}, which is in the pool ${name} of SHAPING_FILE too; it must be in no other pool.`,
        );
  if (plan.rules.some(({ pool }) => pool === penaltyPool.name))
    throw new ConfigError(
      `PENALTY_POOL is the pool ${penaltyPool.name}, which a rule of SHAPING_FILE selects; only accounts are moved there.`,
    );
  return { ...plan, pools, penaltyPool };
}

function namedPool({ pools }: ThrottlingPlan, name: string): SourcePool {
  const found = pools.find((pool) => pool.name === name);
  if (found !== undefined) return found;
  const names = pools.length === 0 ? 'which names none' : `which names ${pools.map((pool) => pool.name).join(', ')}`;
  throw new ConfigError(
    `PENALTY_POOL is ${name}: it must be a pool in "sources" of SHAPING_FILE, ${names}, or a list of addresses.`,
  );
}

/** Not a pool of SHAPING_FILE, so no rule can select it. */
function listedPool(sources: readonly { address: string; helo: string | null }[], heloName: string): SourcePool {
  return {
    name: '(PENALTY_POOL)',
    sources: sources.map(({ address, helo }) => ({ address, heloName: helo ?? heloName })),
  };
}
