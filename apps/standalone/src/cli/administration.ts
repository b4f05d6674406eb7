import { AccountEntity, Accounts, ApiKeyEntity, ApiKeys, AuditLog } from '#libs/accounts';
import { DkimRotation, DkimZone, DomainEntity, SendingDomains } from '#libs/domains';
import { HeldQueues, InboundStore, tlsReportOf, type TlsReport } from '#libs/emails';
import { SecretBox, Wakeups, type Config, type Log } from '#libs/kernel';
import { Database, migrate } from '#libs/persistence';
import { loadMasterKey } from '../master-key.js';
import { openDatabase } from './open-database.js';

/** What the commands work with. */
export interface Administration {
  accounts: Accounts;
  apiKeys: ApiKeys;
  domains: SendingDomains;
  inbound: InboundStore;
  queues: HeldQueues;
  rotation: DkimRotation;
  zone: DkimZone;
  audit: AuditLog;
  /** Null: no session on that day. */
  tlsReport(domain: string, day: string): Promise<TlsReport | null>;
  close(): Promise<void>;
}

/** The classes of the house on the database of this installation, without an application around them: it starts faster. */
export async function openAdministration(config: Config, log: Log): Promise<Administration> {
  const opened = await openDatabase({
    config,
    log,
    entities: [AccountEntity, ApiKeyEntity, DomainEntity],
  });
  const { dataSource } = opened;
  try {
    await migrate(dataSource);
    const database = new Database(dataSource);
    const secretBox = new SecretBox(config.settings.MASTER_KEY ?? (await loadMasterKey(config.dataDir)));
    return {
      accounts: new Accounts(dataSource.getRepository(AccountEntity)),
      apiKeys: new ApiKeys(dataSource.getRepository(ApiKeyEntity), database, secretBox, log),
      domains: new SendingDomains(dataSource.getRepository(DomainEntity), database, secretBox, config),
      rotation: new DkimRotation(database, secretBox, config, new Wakeups()),
      zone: new DkimZone(database, config.settings.SERVICE_DOMAIN),
      audit: new AuditLog(),
      inbound: new InboundStore(database),
      queues: new HeldQueues(database),
      tlsReport: (domain, day) => tlsReportOf(database, { domain, day, submitter: config.settings.SERVICE_DOMAIN }),
      close: () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}
