import { Injectable } from '@nestjs/common';
import { AccountDirectory, Accounts, ApiKeys, planRule, accountShapes } from '#libs/accounts';
import type { AccountOverview, AccountStatus, ChangedBy, Standing } from '#libs/accounts';
import { isId, LIMITS, Refusal, type RefusalDetail, roleRights } from '#libs/contracts';
import { DomainInspection, domainName } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { Invitations, Members, userRules } from '#libs/users';
import { LinkMail } from '#libs/notices';
import { sendInvitation } from '../../session/send-invitation.js';
import { pageParameters, toConnection, type Connection, type ForwardPageArgs } from '../connection.js';
import type { CreateAccountInput, CreatedAccountType } from './accounts.type.js';
import { accountFigures } from './account-figures.js';
import { toOperatorAccount, type OperatorAccountType } from './accounts.type.js';

type Person = NonNullable<ChangedBy>;

/** The accounts of the service, for the operator: the commands `accounts …` with the members of the accounts. */
@Injectable()
export class OperatorAccounts {
  constructor(
    private readonly directory: AccountDirectory,
    private readonly accounts: Accounts,
    private readonly apiKeys: ApiKeys,
    private readonly members: Members,
    readonly invitations: Invitations,
    readonly mail: LinkMail,
    private readonly stats: StatsStore,
    private readonly domains: DomainInspection,
  ) {}

  async page(
    args: ForwardPageArgs,
    filter: { search?: string; status?: AccountStatus },
  ): Promise<Connection<OperatorAccountType>> {
    const { limit = String(LIMITS.listDefault), after } = pageParameters(args);
    const search = filter.search?.trim() || undefined;
    const ids = search === undefined ? [] : await this.accountsBehind(search);
    const page = await this.directory.page({ limit: Number(limit), after }, { ...filter, search, ids });
    return toConnection({ ...page, data: await this.complete(page.data) }, args);
  }

  async find(id: string): Promise<OperatorAccountType | null> {
    const found = isId('acc', id) ? await this.directory.find(id) : null;
    return found && (await this.complete([found]))[0];
  }

  /** @throws Refusal validation_error */
  async create(by: Person, { name, plan, ownerEmail }: CreateAccountInput): Promise<CreatedAccountType> {
    const fields = { name: name.trim(), plan: plan ?? 'free', ownerEmail: ownerEmail?.trim() || undefined };
    const problems: RefusalDetail[] = [
      ...accountShapes.account
        .ruleOf('name')(fields.name)
        .map((one) => ({ field: 'name', ...one })),
      ...planRule(fields.plan).map((one) => ({ field: 'plan', ...one })),
      ...(fields.ownerEmail === undefined ? [] : userRules.email(fields.ownerEmail)).map((one) => ({
        field: 'ownerEmail',
        ...one,
      })),
    ].map(({ field, code, message }) => ({ field, code, message }));
    if (problems.length > 0) throw Refusal.ofFields(problems);
    const notifyAddresses = fields.ownerEmail === undefined ? [] : [fields.ownerEmail];
    const { id } = await this.accounts.create({ name: fields.name, plan: fields.plan, notifyAddresses }, by);
    const { token } = await this.apiKeys.create(id, { name: 'first key' });
    const invitationProblem =
      fields.ownerEmail === undefined ? null : await this.invitationProblem(by, id, fields.ownerEmail);
    return { account: await this.require(id), apiKey: token, invitationProblem };
  }

  /** @throws Refusal not_found; conflict for the first account, without which nobody could undo it in the dashboard */
  async setStanding(by: Person, id: string, standing: Standing): Promise<OperatorAccountType> {
    if (standing !== 'active' && id === (await this.accounts.first())?.id)
      throw new Refusal(
        'conflict',
        [{ field: 'id', code: 'first_account', message: 'must not be that of the first account' }],
        'The first account operates this service. Block it with the command line, if you must.',
      );
    await this.accounts.setStanding(id, standing, by);
    return this.require(id);
  }

  /** @throws Refusal not_found, validation_error */
  async setPlan(by: Person, id: string, plan: string): Promise<OperatorAccountType> {
    const problems = planRule(plan).map(({ code, message }) => ({ field: 'plan', code, message }));
    if (problems.length > 0) throw Refusal.ofFields(problems);
    await this.accounts.setPlan(id, plan, by);
    return this.require(id);
  }

  /** @throws Refusal not_found */
  async resume(by: Person, id: string): Promise<OperatorAccountType> {
    await this.accounts.resume(id, by);
    return this.require(id);
  }

  /** @throws Refusal not_found; validation_error for `penalty` without a penalty pool */
  async setPool(by: Person, id: string, pool: AccountOverview['poolChoice']): Promise<OperatorAccountType> {
    await this.accounts.setPool(id, pool, by);
    return this.require(id);
  }

  /** @throws Refusal not_found, validation_error, and if the invitation cannot be sent */
  async inviteOwner(by: Person, id: string, given: string): Promise<OperatorAccountType> {
    const email = given.trim();
    const account = await this.require(id);
    const problems = userRules.email(email).map(({ code, message }) => ({ field: 'email', code, message }));
    if (problems.length > 0) throw Refusal.ofFields(problems);
    await this.sendTo(by, id, email);
    return account;
  }

  /** The reason why the owner could not be invited: the account and its key exist already. */
  private async invitationProblem(by: Person, accountId: string, email: string): Promise<string | null> {
    try {
      await this.sendTo(by, accountId, email);
      return null;
    } catch (error) {
      if (error instanceof Refusal) return error.message;
      throw error;
    }
  }

  /** The operator invites owners as if one of the account did. */
  private async sendTo(by: Person, accountId: string, email: string): Promise<void> {
    const session = { id: '', userId: by.userId, role: 'owner', abilities: roleRights.abilities.owner } as const;
    await sendInvitation(this, { accountId, session, ip: by.ip, isOperator: true }, { email, role: 'owner' });
  }

  /** Accounts that a search finds by the address of a member or by a domain. */
  private async accountsBehind(search: string): Promise<string[]> {
    if (search.includes('@')) return this.members.accountsOf(search);
    const domain = domainName.normalise(search);
    return domain === null ? [] : this.domains.accountsOf(domain);
  }

  private async require(id: string): Promise<OperatorAccountType> {
    const found = await this.find(id);
    if (found === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
    return found;
  }

  private async complete(accounts: readonly AccountOverview[]): Promise<OperatorAccountType[]> {
    const ids = accounts.map(({ id }) => id);
    const [members, first, figures] = await Promise.all([
      this.members.countByAccount(ids),
      this.accounts.first(),
      accountFigures(this.stats, ids),
    ]);
    return accounts.map((one) => toOperatorAccount(one, { members, firstId: first?.id, figures }));
  }
}
