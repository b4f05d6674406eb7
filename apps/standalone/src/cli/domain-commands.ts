import { Refusal } from '#libs/contracts';
import { zoneLine, type DomainView, type RotationRequest } from '#libs/domains';
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
      const { id, name, status } = await admin.domains.addVouched(accountId, written);
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
  positionals: ['account', 'id'],
  options: { force: { type: 'boolean' } },
  synopsis: '[--force]',
  summary:
    'Makes the next DKIM keys of a domain, which sign once DNS shows their records; with --force at once, where you vouch for the domain.',
  prepare:
    ({ positionals: [accountId, id], options }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const domain =
        options['force'] === true ? await forced(admin, accountId, id) : await rotated(admin, accountId, id);
      const next = domain.records.filter(({ record }) => record === 'DKIM').map(({ name, value }) => ({ name, value }));
      return { json: domain, text: table(next) };
    },
};

const cancel: Command = {
  name: 'domains cancel-rotation',
  positionals: ['account', 'id'],
  options: {},
  summary: 'Gives up the next DKIM keys of a domain before they sign.',
  prepare:
    ({ positionals: [accountId, id] }) =>
    async (admin) => {
      await requireAccount(admin, accountId);
      const request = byOperator(admin, { accountId, id }, 'domain.dkim_rotation_canceled');
      const domain = known(await admin.rotation.cancel(request), request);
      return { json: domain, text: `${domain.name} keeps its keys.` };
    },
};

const dkimZone: Command = {
  name: 'domains dkim-zone',
  positionals: [],
  options: {},
  summary: 'Prints the TXT records of dkim.$SERVICE_DOMAIN as lines of a zone file, for all domains.',
  prepare:
    () =>
    async ({ zone }) => {
      const records = await zone.records();
      return { json: records, text: records.map(zoneLine).join('\n') };
    },
};

/** The next keys sign now; they are made where there are none yet. */
async function forced(admin: Administration, accountId: string, id: string): Promise<DomainView> {
  const domain = known(await admin.domains.view(accountId, id), { accountId, id });
  // A domain that is not vouched for must not be left with half of what was asked for.
  if (!(await admin.domains.find(accountId, id))?.vouched)
    throw new Refusal('conflict', [], `You do not vouch for ${domain.name}: only DNS can switch its keys.`);
  const waits = domain.dkim.rotation !== null && domain.dkim.rotation.status !== 'switched';
  if (!waits) await rotated(admin, accountId, id);
  const request = byOperator(admin, { accountId, id }, 'domain.dkim_forced');
  return known(await admin.rotation.force(request), request);
}

async function rotated(admin: Administration, accountId: string, id: string): Promise<DomainView> {
  const request = byOperator(admin, { accountId, id }, 'domain.dkim_rotated');
  return known(await admin.rotation.rotate(request), request);
}

function byOperator(
  { audit }: Administration,
  { accountId, id }: { accountId: string; id: string },
  action: string,
): RotationRequest {
  const entry = { accountId, actor: 'operator', action, target: id, facts: {} };
  return { accountId, id, alongside: (tx) => audit.record(tx, entry) };
}

function known(domain: DomainView | null, { accountId, id }: { accountId: string; id: string }): DomainView {
  if (domain === null) throw new Refusal('not_found', [], `${accountId} has no domain ${id}.`);
  return domain;
}

export const DOMAIN_COMMANDS: readonly Command[] = [vouch, list, rotate, cancel, dkimZone];
