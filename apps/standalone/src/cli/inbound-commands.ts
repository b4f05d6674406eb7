import { isId } from '#libs/contracts';
import type { StoredInbound } from '#libs/emails';
import type { Command } from './command.js';
import { table } from './table.js';
import { UsageError } from './usage-error.js';

const SHOWN = 20;
const MOST = 1_000;
/** Of a cell; the whole is in `--json`. */
const WIDTH = 60;
/** Nothing in a message gives orders to the terminal or turns its writing around; line ends and tabs are left. */
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

const list: Command = {
  name: 'inbound',
  positionals: [],
  options: { limit: { type: 'string' } },
  synopsis: '[--limit N]',
  summary: `Lists what came in for people: mail to postmaster, abuse, …, and reports nobody could read. --limit, else ${SHOWN}.`,
  prepare: ({ options: { limit = String(SHOWN) } }) => {
    if (typeof limit !== 'string' || !/^[1-9]\d{0,3}$/.test(limit) || Number(limit) > MOST)
      throw new UsageError(`--limit must be a number from 1 to ${MOST}.`);
    return async (admin) => {
      const found = await admin.inbound.list(Number(limit));
      return { json: found, text: table(found.map(lineOf)) };
    };
  },
};

const show: Command = {
  name: 'inbound show',
  positionals: ['id'],
  options: {},
  summary: 'Prints a message as it came in; byte by byte where the output is no terminal.',
  prepare: ({ positionals: [id] }) => {
    const checked = checkedId(id);
    return async (admin) => {
      const raw = await admin.inbound.raw(checked);
      if (raw === null) throw new Error(`There is no message ${checked}.`);
      return { json: { id: checked, raw: raw.toString('base64') }, text: forTerminal(raw), raw };
    };
  },
};

const remove: Command = {
  name: 'inbound delete',
  positionals: ['id'],
  options: {},
  summary: 'Deletes a message that came in.',
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

function lineOf({
  id,
  received_at,
  mail_from,
  rcpt_to,
  subject,
  verdict,
  note,
}: StoredInbound): Record<string, string> {
  return {
    id,
    time: received_at,
    from: cell(mail_from === '' ? '<>' : mail_from),
    to: cell(rcpt_to.join(', ')),
    subject: cell(subject ?? '-'),
    verdict,
    note: note ?? '-',
  };
}

const cell = (text: string): string => (text.length <= WIDTH ? text : `${text.slice(0, WIDTH - 1)}…`);

const forTerminal = (raw: Buffer): string => raw.toString('utf8').replace(/\r\n/g, '\n').replace(CONTROLS, '?');
