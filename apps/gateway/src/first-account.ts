import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Accounts, ApiKeys } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { Config, Log } from '#libs/kernel';
import { Database, migrate } from '#libs/persistence';

/**
 * The first account, on an empty database only: its plan, the domains that the operator vouches for, and its key.
 * A key of the operator's (BOOTSTRAP_API_KEY) comes with the account, before anything listens. One of ours is made when
 * everything listens, because it can be shown only once: a start that dies before is completed by the next one.
 * Runs under the migration lock, so that any number of programs may start at once.
 */
@Injectable()
export class FirstAccount implements OnModuleInit {
  constructor(
    private readonly accounts: Accounts,
    private readonly keys: ApiKeys,
    private readonly domains: SendingDomains,
    private readonly database: Database,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  async onModuleInit(): Promise<void> {
    await this.unlessThereIsKey(() => this.make());
  }

  /** Makes the first key, to be shown at once; null where there is a key already. */
  async makeKey(): Promise<string | null> {
    const made = await this.unlessThereIsKey(async () =>
      this.keys.create((await this.account()).id, { name: 'First key' }),
    );
    return made?.token ?? null;
  }

  private async unlessThereIsKey<T>(run: () => Promise<T>): Promise<T | undefined> {
    return migrate(this.database.dataSource, async () => ((await this.keys.exist()) ? undefined : run()));
  }

  private async make(): Promise<void> {
    const { BOOTSTRAP_API_KEY, BOOTSTRAP_DOMAINS } = this.config.settings;
    const { id } = await this.account();
    for (const name of BOOTSTRAP_DOMAINS) await this.domains.addVouched(id, name);
    if (BOOTSTRAP_API_KEY !== undefined) await this.keys.import(id, BOOTSTRAP_API_KEY, 'Bootstrap key');
  }

  private async account(): Promise<{ id: string }> {
    const found = await this.accounts.first();
    if (found) return found;
    const made = await this.accounts.create({
      name: 'First account',
      plan: this.config.settings.BOOTSTRAP_PLAN,
    });
    this.log.info('made the first account', { account: made.id });
    return made;
  }
}
