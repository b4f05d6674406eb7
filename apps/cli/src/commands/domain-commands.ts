import { Refusal, wholeAccount, type Visibility } from '#libs/contracts';
import { DkimZone, type DomainView, type RotationRequest } from '#libs/domains';
import { domainSuppressions } from '#libs/suppressions';
import { requireAccount, type Administration } from './administration.js';
import type { Command } from './command.js';
import { table } from './output.js';

const vouch: Command = {
  name: 'domains vouch',
  positionals: ['account', 'domain'],
  options: {},
  summary: 'Lets an account send from a domain without DNS verification; you answer for its right to use the domain.',
  prepare:
    ({ positionals: [accountId, written] }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const { id, name, status } = await admin.domains.addVouched(accountId, written, domainSuppressions.restore);
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
      const found = await admin.domains.list(wholeAccount(accountId));
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
    'Creates the next DKIM keys of a domain, which sign once DNS has their records; with --force at once, if you vouch for it.',
  prepare:
    ({ positionals: [id], options }) =>
    async (admin) => {
      const visibility = await ownerOf(admin, id);
      const force = options['force'] === true;
      const domain = await (force ? switchNow : rotateKeys)(admin, { visibility, id });
      const keys = domain.records.filter(({ record }) => record === 'DKIM').map(({ name, value }) => ({ name, value }));
      return { json: domain, text: table(keys) };
    },
};

const cancel: Command = {
  name: 'domains cancel-rotation',
  positionals: ['id'],
  options: {},
  summary: 'Discards the next DKIM keys of a domain before they sign.',
  prepare:
    ({ positionals: [id] }) =>
    async (admin) => {
      const request = { visibility: await ownerOf(admin, id), id };
      const domain = existing(
        await admin.rotation.cancel(audited(admin, request, 'domain.dkim_rotation_canceled')),
        id,
      );
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
      return { json: records, text: records.map((record) => DkimZone.line(record)).join('\n') };
    },
};

/** Makes the next keys sign now, and creates them first if there are none. */
async function switchNow(admin: Administration, request: RotationRequest): Promise<DomainView> {
  const { visibility, id } = request;
  const { name, dkim } = existing(await admin.domains.view(visibility, id), id);
  // Checked before keys are created that would be left behind.
  if (!(await admin.domains.find(visibility, id))?.vouched)
    throw new Refusal('conflict', [], `You do not vouch for ${name}: only DNS can switch its keys.`);
  if (dkim.rotation === null || dkim.rotation.status === 'switched') await rotateKeys(admin, request);
  return existing(await admin.rotation.force(audited(admin, request, 'domain.dkim_switched')), id);
}

async function rotateKeys(admin: Administration, request: RotationRequest): Promise<DomainView> {
  return existing(await admin.rotation.rotate(audited(admin, request, 'domain.dkim_rotated')), request.id);
}

/** The request, with an entry in the audit log in the same transaction. */
function audited({ audit }: Administration, { visibility, id }: RotationRequest, action: string): RotationRequest {
  const entry = { accountId: visibility.accountId, actor: 'operator', action, target: id, details: {} };
  return { visibility, id, alongside: (tx) => audit.record(tx, entry) };
}

const ownerOf = async ({ domains }: Administration, id: string): Promise<Visibility> =>
  wholeAccount(existing(await domains.ownerOf(id), id));

/** @throws Refusal not_found */
function existing<T>(value: T | null, id: string): T {
  if (value === null) throw new Refusal('not_found', [], `There is no domain ${id}.`);
  return value;
}

export const DOMAIN_COMMANDS: readonly Command[] = [vouch, list, rotate, cancel, dkimZone];
