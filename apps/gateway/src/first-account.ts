import { Injectable, type OnModuleInit } from '@nestjs/common';
import { Accounts, ApiKeys, accountShapes } from '#libs/accounts';
import { SendingDomains } from '#libs/domains';
import { Config, Log } from '#libs/kernel';
import { Database, migrate, untilAvailable } from '#libs/persistence';

/**
 * Creates the first account in an empty database, with its plan, its preverified domains and its key. The key of the
 * setting BOOTSTRAP_API_KEY is created before the server listens. A generated key can be shown only once, so it is created
 * after the server listens; a start that fails earlier is completed by the next one. Runs under the migration lock, so
 * that several programs can start at the same time.
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
    await this.unlessKeyExists(() => this.bootstrap());
  }

  /** Creates the first key, to be shown at once; null if there is a key already. */
  async makeKey(): Promise<string | null> {
    const key = await this.unlessKeyExists(async () =>
      this.keys.create((await this.account()).id, { name: 'First key' }),
    );
    return key?.token ?? null;
  }

  private async unlessKeyExists<T>(run: () => Promise<T>): Promise<T | undefined> {
    const afterwards = async () => ((await this.keys.anyExists()) ? undefined : run());
    return untilAvailable('first account', this.log, () =>
      migrate(this.database.dataSource, { afterwards, log: this.log }),
    );
  }

  private async bootstrap(): Promise<void> {
    const { BOOTSTRAP_API_KEY, BOOTSTRAP_DOMAINS } = this.config.settings;
    const { id } = await this.account();
    for (const name of BOOTSTRAP_DOMAINS) await this.domains.addVouched(id, name);
    if (BOOTSTRAP_API_KEY !== undefined) await this.keys.import(id, BOOTSTRAP_API_KEY, 'Bootstrap key');
  }

  private async account(): Promise<{ id: string }> {
    const existing = await this.accounts.first();
    if (existing) return existing;
    const created = await this.accounts.create({
      name: 'First account',
      plan: this.config.settings.BOOTSTRAP_PLAN,
      notifyAddresses: this.notifyAddresses(),
    });
    this.log.info('created the first account', { account: created.id });
    return created;
  }
  private notifyAddresses(): string[] {
    const { BOOTSTRAP_ADMIN_EMAIL: address } = this.config.settings;
    if (address === undefined) return [];
    const [problem] = accountShapes.account.ruleOf('notify_addresses')([address]);
    if (problem === undefined) return [address];
    this.log.warn('BOOTSTRAP_ADMIN_EMAIL is not an address, so the first account gets no notices', { address });
    return [];
  }
}
