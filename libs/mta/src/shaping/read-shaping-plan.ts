import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { matchesNothing, readAutomation } from './automation-file.js';
import { FilePlace, ShapingFileError } from './file-place.js';
import { readPoolRule, readPools, readWarmUp } from './source-file.js';
import type { Automation, Pace, ProviderPlan, ShapingPlan } from './shaping-plan.js';

const SHIPPED = fileURLToPath(new URL('./shaping.json', import.meta.url));
const PACE = ['connections', 'mails_per_connection', 'per_minute', 'per_hour'] as const;
const TOP = ['comment', 'default', 'providers', 'automations', 'sources', 'rules', 'warm_up'] as const;
const NO_PACE: Pace = { connections: null, mailsPerConnection: null, perMinute: null, perHour: null };
const MOST_PER_MINUTE = 1_000_000;
/** Names that queues have otherwise, and the label of everybody else. */
const TAKEN = new Set(['smarthost', 'capture', 'other']);

/** A provider as one file has it; the rest is as the file before it said. */
interface ProviderPart {
  mx: readonly string[];
  pace: Pace;
  automations: readonly Automation[];
}

interface Parts {
  providers: Map<string, ProviderPart>;
  others: Pace;
  automations: readonly Automation[];
}

const NOTHING: Parts = { providers: new Map(), others: NO_PACE, automations: [] };
let shipped: Parts | undefined;

/**
 * The shipped defaults, and over them the operator's file where there is one.
 * @throws ShapingFileError with one sentence that begins with the place in the file.
 */
export function readShapingPlan({ file, heloName }: { file?: string; heloName: string }): ShapingPlan {
  shipped ??= readParts(readJson(SHIPPED), NOTHING);
  if (file === undefined) return toPlan(shipped, { pools: [], rules: [], warmUps: new Map() });
  const root = readJson(file);
  const { sources, rules, warm_up } = root.members(TOP);
  const pools = sources === undefined ? [] : readPools(sources, heloName);
  return toPlan(readParts(root, shipped), {
    pools,
    rules: rules?.list((one) => readPoolRule(one, pools)) ?? [],
    warmUps: new Map(warm_up?.list((one) => readWarmUp(one, pools)) ?? []),
  });
}

function readJson(path: string): FilePlace {
  try {
    return new FilePlace('', JSON.parse(readFileSync(path, 'utf8')));
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException;
    throw new ShapingFileError(code === undefined ? `the file is not JSON: ${message}` : `cannot be read: ${message}`);
  }
}

function readParts(root: FilePlace, before: Parts): Parts {
  const top = root.members(TOP);
  const providers = new Map(before.providers);
  for (const [name, place] of top.providers?.entries() ?? []) {
    if (!/^[a-z0-9][a-z0-9-]{0,31}$/.test(name) || TAKEN.has(name))
      throw place.problem(
        `has no proper name: small letters, digits and -, at most 32, none of ${[...TAKEN].join(', ')}`,
      );
    providers.set(name, readProvider(place, providers.get(name)));
  }
  return {
    providers,
    others:
      top.default === undefined ? before.others : readPace(top.default.members([...PACE, 'comment']), before.others),
    automations: merged(top.automations, before.automations),
  };
}

function readProvider(place: FilePlace, before: ProviderPart | undefined): ProviderPart {
  const { mx, automations, comment: _, ...pace } = place.members([...PACE, 'mx', 'automations', 'comment']);
  if (mx === undefined && before === undefined) throw place.problem('is a new provider and needs mx');
  return {
    mx: mx?.oneOrMore(mxSuffix) ?? before?.mx ?? [],
    pace: readPace(pace, before?.pace ?? NO_PACE),
    automations: merged(automations, before?.automations ?? []),
  };
}

const mxSuffix = (place: FilePlace): string =>
  place.text(/^[a-z0-9-]+(?:\.[a-z0-9-]+)*$/, 'the end of an MX name in small letters such as mx.example.net');

function readPace(given: Partial<Record<string, FilePlace>>, before: Pace): Pace {
  const { connections, mails_per_connection, per_minute, per_hour } = given;
  return {
    connections: connections?.whole(1, 1000) ?? before.connections,
    mailsPerConnection: mails_per_connection?.whole(1, 10_000) ?? before.mailsPerConnection,
    perMinute: per_minute?.number(0.01, MOST_PER_MINUTE) ?? before.perMinute,
    perHour: per_hour?.number(0.01, 60 * MOST_PER_MINUTE) ?? before.perHour,
  };
}

/** The new ones first; one with the id of an earlier one takes its place, and one that matches nothing just removes it. */
function merged(place: FilePlace | undefined, before: readonly Automation[]): readonly Automation[] {
  if (place === undefined) return before;
  const added = place.list(readAutomation);
  const ids = added.map(({ id }) => id);
  const twice = ids.find((id, i) => ids.indexOf(id) !== i);
  if (twice !== undefined) throw place.problem(`has the id ${twice} twice`);
  return [...added.filter((one) => !matchesNothing(one)), ...before.filter(({ id }) => !ids.includes(id))];
}

function toPlan(parts: Parts, sources: Pick<ShapingPlan, 'pools' | 'rules' | 'warmUps'>): ShapingPlan {
  const providers = [...parts.providers].map(([name, { mx, pace, automations }]): ProviderPlan => ({
    name,
    mx,
    pace,
    automations: [...automations, ...parts.automations],
  }));
  return {
    ...sources,
    providers: new Map(providers.map((provider) => [provider.name, provider])),
    others: { name: 'other', mx: [], pace: parts.others, automations: parts.automations },
  };
}
