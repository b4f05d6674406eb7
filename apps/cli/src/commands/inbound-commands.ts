import { isId } from '#libs/contracts';
import { INBOUND_VERDICTS, type InboundVerdict, type StoredInboundMessage } from '#libs/inbound';
import { UsageError, type Command } from './command.js';
import { forTerminal, table } from './output.js';

const DEFAULT_LIMIT = 20;
const MAX_LIMIT = 1_000;
/** Of a cell in characters; `--json` prints the whole text. */
const MAX_WIDTH = 48;

const list: Command = {
  name: 'inbound',
  positionals: [],
  options: { limit: { type: 'string' }, verdict: { type: 'string' } },
  synopsis: '[--limit N] [--verdict VERDICT]',
  summary: `Lists kept messages, newest first: mail to postmaster, abuse, …, and reports that could not be assigned, proved (--verdict unproved) or read. --limit, default ${DEFAULT_LIMIT}.`,
  prepare: ({ options: { limit = String(DEFAULT_LIMIT), verdict } }) => {
    if (typeof limit !== 'string' || !/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MAX_LIMIT)
      throw new UsageError(`--limit must be a number from 1 to ${MAX_LIMIT}.`);
    const wanted = verdict === undefined ? null : checkedVerdict(verdict);
    return async (admin) => {
      const found = await admin.inbound.list(Number(limit), wanted);
      return { json: found, text: table(found.map(toRow)) };
    };
  },
};

const show: Command = {
  name: 'inbound show',
  positionals: ['id'],
  options: {},
  summary: 'Prints a kept message; its exact octets when the output is not a terminal.',
  prepare: ({ positionals: [id] }) => {
    const checked = checkedId(id);
    return async (admin) => {
      const raw = await admin.inbound.raw(checked);
      if (raw === null) throw new Error(`There is no message ${checked}.`);
      return {
        json: { id: checked, raw: raw.toString('base64') },
        text: forTerminal(raw.toString('utf8').replace(/\r\n/g, '\n')),
        raw,
      };
    };
  },
};

const remove: Command = {
  name: 'inbound delete',
  positionals: ['id'],
  options: {},
  summary: 'Deletes a kept message.',
  prepare: ({ positionals: [id] }) => {
    const checked = checkedId(id);
    return async (admin) => {
      const deleted = await admin.inbound.remove(checked);
      if (!deleted) throw new Error(`There is no message ${checked}.`);
      return { json: { id: checked, deleted }, text: `${checked} is deleted.` };
    };
  },
};

export const INBOUND_COMMANDS: readonly Command[] = [list, show, remove];

function checkedId(id: string): string {
  if (isId('inb', id)) return id;
  throw new UsageError('The id must be one that "inbound" lists, such as inb_….');
}

function checkedVerdict(word: string | boolean): InboundVerdict {
  const verdict = INBOUND_VERDICTS.find((known) => known === word);
  if (verdict === undefined) throw new UsageError(`--verdict must be one of ${INBOUND_VERDICTS.join(', ')}.`);
  return verdict;
}

function toRow({
  id,
  received_at,
  mail_from,
  rcpt_to,
  remote_ip,
  helo,
  subject,
  reported,
  verdict,
  note,
}: StoredInboundMessage): Record<string, string> {
  return {
    id,
    time: received_at,
    from: cell(mail_from === '' ? '<>' : mail_from),
    client: cell(helo === '' ? remote_ip : `${remote_ip} (${helo})`),
    to: cell(rcpt_to.join(', ')),
    subject: cell(subject ?? '-'),
    reported: cell(reported.join(', ') || '-'),
    verdict,
    note: note ?? '-',
  };
}

const cell = (text: string): string => (text.length <= MAX_WIDTH ? text : `${text.slice(0, MAX_WIDTH - 1)}…`);
