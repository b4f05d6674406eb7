import { Refusal } from '#libs/contracts';
import { zoneLine, type DomainView, type RotationRequest } from '#libs/domains';
import { takeBackDomainList } from '#libs/suppressions';
import type { Administration } from './administration.js';
import type { Command } from './command.js';
import { requireAccount } from './require-account.js';
import { table } from './table.js';

const vouch: Command = {
  name: 'domains vouch',
  positionals: ['account', 'domain'],
  options: {},
  summary: 'Lets an account send from a domain at once; you answer for its right to do so.',
  prepare:
    ({ positionals: [accountId, written] }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const { id, name, status } = await admin.domains.addVouched(accountId, written, takeBackDomainList);
      return { json: { id, name, status }, text: `${accountId} may send from ${name} (${id}).` };
    },
};

const list: Command = {
  name: 'domains list',
  positionals: ['account'],
  options: {},
  summary: 'Lists the domains of an account; with --json also their DNS records.',
  prepare:
    ({ positionals: [accountId] }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const found = await admin.domains.list(accountId);
      return {
        json: found,
        text: table(found.map(({ id, name, status, created_at }) => ({ id, name, status, created_at }))),
      };
    },
};

const rotate: Command = {
  name: 'domains rotate',
  positionals: ['id'],
  options: { force: { type: 'boolean' } },
  synopsis: '[--force]',
  summary:
    'Makes the next DKIM keys of a domain, which sign once DNS shows their records; with --force at once, if you vouch for it.',
  prepare:
    ({ positionals: [id], options }) =>
    async (admin) => {
      const accountId = await ownerOf(admin, id);
      const force = options['force'] === true;
      const domain = await (force ? switchNow : rotateKeys)(admin, { accountId, id });
      const keys = domain.records.filter(({ record }) => record === 'DKIM').map(({ name, value }) => ({ name, value }));
      return { json: domain, text: table(keys) };
    },
};

const cancel: Command = {
  name: 'domains cancel-rotation',
  positionals: ['id'],
  options: {},
  summary: 'Gives up the next DKIM keys of a domain before they sign.',
  prepare:
    ({ positionals: [id] }) =>
    async (admin) => {
      const request = { accountId: await ownerOf(admin, id), id };
      const domain = known(await admin.rotation.cancel(noted(admin, request, 'domain.dkim_rotation_canceled')), id);
      return { json: domain, text: `${domain.name} keeps its keys.` };
    },
};

const dkimZone: Command = {
  name: 'domains dkim-zone',
  positionals: [],
  options: {},
  summary: 'Prints the TXT records below dkim.$SERVICE_DOMAIN, of all domains, as lines of a zone file.',
  prepare:
    () =>
    async ({ zone }) => {
      const records = await zone.records();
      return { json: records, text: records.map(zoneLine).join('\n') };
    },
};

/** The next keys sign now; they are made where there are none yet. */
async function switchNow(admin: Administration, request: RotationRequest): Promise<DomainView> {
  const { accountId, id } = request;
  const { name, dkim } = known(await admin.domains.view(accountId, id), id);
  // Before anything is made that would be left behind.
  if (!(await admin.domains.find(accountId, id))?.vouched)
    throw new Refusal('conflict', [], `You do not vouch for ${name}: only DNS can switch its keys.`);
  if (dkim.rotation === null || dkim.rotation.status === 'switched') await rotateKeys(admin, request);
  return known(await admin.rotation.force(noted(admin, request, 'domain.dkim_switched')), id);
}

async function rotateKeys(admin: Administration, request: RotationRequest): Promise<DomainView> {
  return known(await admin.rotation.rotate(noted(admin, request, 'domain.dkim_rotated')), request.id);
}

/** With a line in the audit log: the operator did it. */
function noted({ audit }: Administration, { accountId, id }: RotationRequest, action: string): RotationRequest {
  const entry = { accountId, actor: 'operator', action, target: id, facts: {} };
  return { accountId, id, alongside: (tx) => audit.record(tx, entry) };
}

const ownerOf = async ({ domains }: Administration, id: string): Promise<string> =>
  known(await domains.ownerOf(id), id);

function known<T>(thing: T | null, id: string): T {
  if (thing === null) throw new Refusal('not_found', [], `There is no domain ${id}.`);
  return thing;
}

export const DOMAIN_COMMANDS: readonly Command[] = [vouch, list, rotate, cancel, dkimZone];
