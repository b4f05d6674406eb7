import { matchesNothing, readAutomation } from './read-automation.js';
import { mailboxProviders } from '#libs/contracts';
import { readDataFile, readJsonFile, type JsonReader } from '../../json-reader.js';
import { withPenaltyPool, type PenaltyPoolSetting } from './penalty-pool.js';
import { readPoolRule, readPools, readWarmUp } from './read-sources.js';
import type { Automation, ProviderLimits, ProviderPlan, ThrottlingPlan } from './throttling-plan.js';

const SHIPPED = new URL('../throttling.json', import.meta.url);
const LIMIT_FIELDS = ['connections', 'mails_per_connection', 'per_minute', 'per_hour'] as const;
const TOP = ['comment', 'default', 'providers', 'automations', 'sources', 'rules', 'warm_up'] as const;
const NO_LIMITS: ProviderLimits = { connections: null, mailsPerConnection: null, perMinute: null, perHour: null };
const MAX_PER_MINUTE = 1_000_000;
/** Names of other queues, and the label of all other providers. */
const RESERVED_NAMES = new Set(['smarthost', 'capture', 'other']);

/** A provider after one file has been read; fields that the file omits keep their value. */
interface ProviderPart {
  mx: readonly string[];
  limits: ProviderLimits;
  automations: readonly Automation[];
}

interface Parts {
  providers: Map<string, ProviderPart>;
  others: ProviderLimits;
  automations: readonly Automation[];
}

/** The mailbox providers without limits. */
const UNLIMITED: Parts = {
  providers: new Map(
    mailboxProviders.all
      .filter(({ mx }) => mx.length > 0)
      .map(({ name, mx }) => [name, { mx, limits: NO_LIMITS, automations: [] }]),
  ),
  others: NO_LIMITS,
  automations: [],
};
let shipped: Parts | undefined;

/**
 * The shipped defaults, overridden by the operator's file if there is one, with the penalty pool.
 * @throws JsonFileError with one sentence that begins with the place in the file; ConfigError about the penalty pool
 */
export function readThrottlingPlan(of: {
  file?: string;
  heloName: string;
  penaltyPool?: PenaltyPoolSetting;
}): ThrottlingPlan {
  const plan = readFilePlan(of);
  return of.penaltyPool === undefined ? plan : withPenaltyPool(plan, of.penaltyPool, of.heloName);
}

function readFilePlan({ file, heloName }: { file?: string; heloName: string }): ThrottlingPlan {
  shipped ??= readDataFile(SHIPPED, (root) => readParts(root, UNLIMITED));
  if (file === undefined) return toPlan(shipped, { pools: [], penaltyPool: null, rules: [], warmUps: new Map() });
  const root = readJsonFile(file);
  const { sources, rules, warm_up } = root.members(TOP);
  const pools = sources === undefined ? [] : readPools(sources, heloName);
  return toPlan(readParts(root, shipped), {
    pools,
    penaltyPool: null,
    rules: rules?.list((one) => readPoolRule(one, pools)) ?? [],
    warmUps: new Map(warm_up?.list((one) => readWarmUp(one, pools)) ?? []),
  });
}

function readParts(root: JsonReader, before: Parts): Parts {
  const top = root.members(TOP);
  const providers = new Map(before.providers);
  for (const [name, reader] of top.providers?.entries() ?? []) {
    if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name) || RESERVED_NAMES.has(name))
      throw reader.problem(
        `has no proper name: small letters, digits and -, at most 32, none of ${[...RESERVED_NAMES].join(', ')}`,
      );
    providers.set(name, readProvider(reader, providers.get(name)));
  }
  return {
    providers,
    others:
      top.default === undefined
        ? before.others
        : readLimits(top.default.members([...LIMIT_FIELDS, 'comment']), before.others),
    automations: merged(top.automations, before.automations),
  };
}

function readProvider(reader: JsonReader, before: ProviderPart | undefined): ProviderPart {
  const { mx, automations, comment: _, ...limits } = reader.members([...LIMIT_FIELDS, 'mx', 'automations', 'comment']);
  if (mx === undefined && before === undefined) throw reader.problem('is a new provider and needs mx');
  return {
    mx: mx?.oneOrMore(mxSuffix) ?? before?.mx ?? [],
    limits: readLimits(limits, before?.limits ?? NO_LIMITS),
    automations: merged(automations, before?.automations ?? []),
  };
}

const mxSuffix = (reader: JsonReader): string =>
  reader.text(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, 'the end of an MX name in small letters such as mx.example.net');

function readLimits(given: Partial<Record<string, JsonReader>>, before: ProviderLimits): ProviderLimits {
  const { connections, mails_per_connection, per_minute, per_hour } = given;
  return {
    connections: connections?.integer(1, 1000) ?? before.connections,
    mailsPerConnection: mails_per_connection?.integer(1, 10_000) ?? before.mailsPerConnection,
    perMinute: per_minute?.number(0.01, MAX_PER_MINUTE) ?? before.perMinute,
    perHour: per_hour?.number(0.01, 60 * MAX_PER_MINUTE) ?? before.perHour,
  };
}

/** The new ones first. One with the id of an earlier one replaces it; one that matches nothing only removes it. */
function merged(reader: JsonReader | undefined, before: readonly Automation[]): readonly Automation[] {
  if (reader === undefined) return before;
  const added = reader.list(readAutomation);
  const ids = added.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw reader.problem(`has the id ${twice} twice`);
  return [...added.filter((one) => !matchesNothing(one)), ...before.filter(({ id }) => !ids.includes(id))];
}

function toPlan(
  parts: Parts,
  sources: Pick<ThrottlingPlan, 'pools' | 'penaltyPool' | 'rules' | 'warmUps'>,
): ThrottlingPlan {
  const providers = [...parts.providers].map(([name, { mx, limits, automations }]): ProviderPlan => ({
    name,
    mx,
    limits,
    automations: [...automations, ...parts.automations],
  }));
  return {
    ...sources,
    providers: new Map(providers.map((provider) => [provider.name, provider])),
    others: { name: 'other', mx: [], limits: parts.others, automations: parts.automations },
  };
}
