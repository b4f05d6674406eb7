import type { ParkedEvent, Selection } from '#libs/bus';
import { isId } from '#libs/contracts';
import { UsageError, type Command, type CommandInput } from './command.js';
import { forTerminal, table } from './output.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
/** Of a cell in characters; `parked show` prints the whole text. */
const MAX_WIDTH = 60;
const CONSUMER = { consumer: { type: 'string' } } as const;

const list: Command = {
  name: 'parked list',
  positionals: [],
  options: { limit: { type: 'string' }, ...CONSUMER },
  synopsis: '[--limit N] [--consumer C]',
  summary: `Lists events that webhooks, statistics or the copy to Kafka could not handle, oldest first. --limit, default ${DEFAULT_LIMIT}.`,
  prepare: ({ options: { limit = String(DEFAULT_LIMIT), consumer } }) => {
    if (typeof limit !== 'string' || !/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MAX_LIMIT)
      throw new UsageError(`--limit must be a number from 1 to ${MAX_LIMIT}.`);
    return async (admin) => {
      const found = await admin.parked.list(Number(limit), typeof consumer === 'string' ? consumer : null);
      return { json: found, text: table(found.map(toRow)) };
    };
  },
};

const show: Command = {
  name: 'parked show',
  positionals: ['id'],
  options: {},
  summary: 'Prints a parked event and why it could not be handled.',
  prepare: ({ positionals: [id] }) => {
    const checked = checkedId(id);
    return async (admin) => {
      const found = await admin.parked.find(checked);
      if (found === null) throw notFound(checked);
      return { json: found, text: forTerminal(JSON.stringify(found, null, 2)) };
    };
  },
};

const replay: Command = {
  name: 'parked replay',
  positionals: ['id|all'],
  options: CONSUMER,
  synopsis: '[--consumer C]',
  summary: 'Lets the running programs handle a parked event again, or all of them (of one consumer).',
  prepare: (input) => {
    const which = checkedSelection(input);
    return async (admin) => {
      const requested = await admin.parked.requestReplay(which);
      if (requested === 0 && isSingle(which)) throw notFound(which.id);
      const text = `Events that are handled again within seconds: ${requested}. Those that fail again stay in "parked list".`;
      return { json: { requested }, text };
    };
  },
};

const drop: Command = {
  name: 'parked drop',
  positionals: ['id|all'],
  options: CONSUMER,
  synopsis: '[--consumer C]',
  summary: 'Deletes a parked event, or all of them (of one consumer). The consumer never gets it.',
  prepare: (input) => {
    const which = checkedSelection(input);
    return async (admin) => {
      const dropped = await admin.parked.drop(which);
      if (dropped === 0 && isSingle(which)) throw notFound(which.id);
      return { json: { dropped }, text: `Deleted events: ${dropped}.` };
    };
  },
};

export const PARKED_COMMANDS: readonly Command[] = [list, show, replay, drop];

function checkedId(id: string): string {
  if (isId('prk', id)) return id;
  throw new UsageError('The id must be one that "parked list" shows, such as prk_….');
}

function checkedSelection({ positionals: [which], options: { consumer } }: CommandInput): Selection {
  if (which !== 'all') {
    if (consumer !== undefined) throw new UsageError('--consumer goes with "all" only.');
    return { id: checkedId(which) };
  }
  return typeof consumer === 'string' ? { consumer } : 'all';
}

const isSingle = (which: Selection): which is { id: string } => which !== 'all' && 'id' in which;

const notFound = (id: string): Error => new Error(`There is no parked event ${id}.`);

function toRow(one: ParkedEvent): Record<string, string> {
  return {
    id: one.id,
    consumer: one.consumer,
    at: one.source === 'log' ? String(one.position) : `${one.source} ${one.position}`,
    type: forTerminal(one.event_type ?? '-'),
    event: one.event_id ?? '-',
    failures: String(one.failures),
    last: one.failed_at,
    state: one.replay_requested ? 'replay requested' : 'parked',
    reason: cell(one.reason),
  };
}

function cell(text: string): string {
  const line = forTerminal(text).replaceAll(/[\n\t]+/g, ' ');
  return line.length <= MAX_WIDTH ? line : `${line.slice(0, MAX_WIDTH - 1)}…`;
}
