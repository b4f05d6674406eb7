import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Accounts, ApiKeys } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { Config, Log } from '#libs/kernel';
import { Database, migrate } from '#libs/persistence';

/** What a newcomer needs to send the first mail. */
export interface FirstAccess {
  accountId: string;
  /** Null when the operator gave the key (BOOTSTRAP_API_KEY) and so knows it. */
  apiKey: string | null;
}

/**
 * The first account, on an empty database only: its key, its plan, and the domains that the operator vouches for.
 * Runs under the migration lock, before anything listens, so that any number of programs may start at once. The key is
 * made last: a start that dies in between is completed by the next one.
 */
@Injectable()
export class FirstAccount implements OnModuleInit {
  /** Set when this start made the account. */
  made: FirstAccess | null = null;

  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
    private readonly domains: SendingDomains,
    private readonly database: Database,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await migrate(this.database.dataSource, async () => {
      if (await this.keys.exist()) return;
      this.made = await this.make();
      this.log.info('made the first account', { account: this.made.accountId });
    });
  }

  private async make(): Promise<FirstAccess> {
    const { BOOTSTRAP_API_KEY, BOOTSTRAP_PLAN, BOOTSTRAP_DOMAINS } = this.config.settings;
    const account =
      (await this.accounts.first()) ?? (await this.accounts.create({ name: 'First account', plan: BOOTSTRAP_PLAN }));
    for (const name of BOOTSTRAP_DOMAINS) await this.domains.addVouched(account.id, name);
    if (BOOTSTRAP_API_KEY === undefined)
      return { accountId: account.id, apiKey: (await this.keys.create(account.id, { name: 'First key' })).token };
    await this.keys.import(account.id, BOOTSTRAP_API_KEY, 'Bootstrap key');
    return { accountId: account.id, apiKey: null };
  }
}
