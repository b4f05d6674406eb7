import type { BounceClass, DeliveryPhase } from '../../delivery-outcome.js';
import type { JsonReader } from '../../json-reader.js';
import type { Automation, AutomationAction } from './throttling-plan.js';

const FIELDS = [
  'id',
  'comment',
  'code',
  'enhanced',
  'phase',
  'words',
  'class',
  'block_list',
  'action',
  'factor',
  'minutes',
] as const;
const PHASES = ['connect', 'greeting', 'ehlo', 'tls', 'auth', 'mail', 'rcpt', 'data', 'dot'] as const;
const CLASSES = ['policy', 'authentication', 'content', 'quota', 'deferral', 'undetermined'] as const;
const MINUTE_MS = 60_000;
const DAY_MINUTES = 1440;

export function readAutomation(reader: JsonReader): Automation {
  const {
    id,
    code,
    enhanced,
    phase,
    words,
    class: found,
    block_list,
    action,
    factor,
    minutes,
  } = reader.members(FIELDS);
  if (id === undefined || action === undefined) throw reader.problem('needs id and action');
  const automation: Automation = {
    id: id.text(/^[a-z0-9][a-z0-9_-]{0,63}$/, 'small letters, digits, - and _, at most 64'),
    codes: code === undefined ? null : new Set(code.oneOrMore((one) => one.integer(400, 599))),
    enhanced: enhanced === undefined ? null : new Set(enhanced.oneOrMore(enhancedCode)),
    phases: phase === undefined ? null : new Set<DeliveryPhase>(phase.oneOrMore((one) => one.oneOf(...PHASES))),
    words: words?.pattern('i') ?? null,
    classes: found === undefined ? null : new Set<BounceClass>(found.oneOrMore((one) => one.oneOf(...CLASSES))),
    blockList: readListName(block_list),
    action: readAction(reader, { action, factor, minutes }),
  };
  if (automation.action.kind !== 'ignore' && matchesAnything(automation))
    throw reader.problem('needs at least one of code, enhanced, words and class: it would match every reply');
  return automation;
}

/** True for one that only removes the shipped automation of the same id. */
export function matchesNothing(automation: Automation): boolean {
  return matchesAnything(automation) && automation.phases === null;
}

function matchesAnything({ codes, enhanced, words, classes }: Automation): boolean {
  return codes === null && enhanced === null && words === null && classes === null;
}

function readAction(
  reader: JsonReader,
  given: { action: JsonReader; factor?: JsonReader; minutes?: JsonReader },
): AutomationAction {
  const kind = given.action.oneOf('slow_down', 'suspend', 'ignore');
  if (kind !== 'slow_down' && given.factor !== undefined) throw given.factor.problem('belongs to slow_down only');
  if (kind === 'ignore') {
    if (given.minutes !== undefined) throw given.minutes.problem('does not belong to ignore');
    return { kind };
  }
  if (given.minutes === undefined) throw reader.problem(`needs minutes, which ${kind} lasts`);
  const forMs = Math.round(given.minutes.number(0.01, 7 * DAY_MINUTES) * MINUTE_MS);
  if (kind === 'suspend') return { kind, forMs };
  if (given.factor === undefined) throw reader.problem('needs factor, by which the pace is multiplied');
  return { kind, forMs, factor: given.factor.number(0.01, 0.99) };
}

const readListName = (reader: JsonReader | undefined): string | null =>
  reader?.text(/^[\p{L}\p{N}][\p{L}\p{N} .-]{0,63}$/u, 'the name of a block list, at most 64 characters') ?? null;

const enhancedCode = (reader: JsonReader): string =>
  reader.text(/^[45]\.\d{1,3}\.\d{1,3}$/, 'an enhanced status code such as 4.7.28');
