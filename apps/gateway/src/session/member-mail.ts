import { Injectable } from '@nestjs/common';
import { Accounts, AuditLog } from '#libs/accounts';
import { wholeAccount } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import { EmailQueries, SystemMail } from '#libs/emails';
import { Config } from '#libs/kernel';
import { SuppressionEntries, SuppressionList } from '#libs/suppressions';
import type { Actor } from '#libs/users';
import type { MemberDto } from './session.dto.js';

type MailProblem = NonNullable<MemberDto['mail_problem']>;

/** The sender of messages of the service. */
interface Scope {
  accountId: string;
  domainId: string;
}

/** Whether messages of the service reach people: links to set a password, invitations, notices. */
@Injectable()
export class MemberMail {
  constructor(
    private readonly accounts: Accounts,
    private readonly domains: SendingDomains,
    private readonly mail: SystemMail,
    private readonly emails: EmailQueries,
    private readonly suppressions: SuppressionList,
    private readonly entries: SuppressionEntries,
    private readonly audit: AuditLog,
    private readonly config: Config,
  ) {}

  /** The same people, each with what is wrong with messages to the address. */
  async withProblems<T extends Pick<MemberDto, 'email' | 'mail_problem'>>(people: readonly T[]): Promise<T[]> {
    const problems = await this.problems(people.map(({ email }) => email));
    return people.map((person) => ({ ...person, mail_problem: problems.get(person.email) ?? null }));
  }

  /** Lets messages be sent to an address again whose mailbox did not exist. */
  async allow(by: Actor, address: string): Promise<void> {
    const scope = await this.scope();
    if (scope === null) return;
    const { accountId, domainId } = scope;
    await this.entries.remove(wholeAccount(accountId), [{ address, domainId }], {
      // Complaints stay: they stop no message with a link.
      force: false,
      onRemoved: (tx, removed) =>
        this.audit.record(
          tx,
          ...removed.map(({ id, email, origin }) => ({
            ...{ accountId, actor: by.session.userId, ip: by.ip, action: 'suppression.removed', target: id },
            details: { email, origin },
          })),
        ),
    });
  }

  private async problems(addresses: readonly string[]): Promise<Map<string, MailProblem>> {
    const scope = addresses.length === 0 ? null : await this.scope();
    if (scope === null) return new Map();
    const { accountId } = scope;
    const [stopped, failures] = await Promise.all([
      this.suppressions.provedBy({ ...scope, origins: ['bounce'] }, addresses),
      this.emails.lastFailures({ accountId, sender: this.mail.sender, addresses }),
    ]);
    const problems = new Map<string, MailProblem>();
    for (const [address, { reason, since }] of failures)
      problems.set(address, { reason, since: since.toISOString(), stopped: false });
    for (const address of stopped.keys()) {
      const entry = await this.entries.find(wholeAccount(accountId), { address, domainId: scope.domainId });
      if (entry) problems.set(address, { reason: entry.reason, since: entry.created_at, stopped: true });
    }
    return problems;
  }

  /** Null before the first account exists, and if another account has the domain of the service. */
  private async scope(): Promise<Scope | null> {
    const account = await this.accounts.first();
    if (account === null) return null;
    const domain = await this.domains.findOfService(account.id, this.config.settings.SERVICE_DOMAIN);
    return domain && { accountId: account.id, domainId: domain.id };
  }
}
