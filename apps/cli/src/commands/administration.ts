import { AccountEntity, Accounts, ApiKeyEntity, ApiKeys, AuditLog } from '#libs/accounts';
import { LogConsumers, ParkedEvents } from '#libs/bus';
import { Refusal } from '#libs/contracts';
import { DkimRotation, DkimZone, DomainEntity, SendingDomains } from '#libs/domains';
import { Erasures } from '#libs/erasure';
import { InboundStore } from '#libs/inbound';
import { SecretBox, LocalNotifications, type Config, type Log } from '#libs/kernel';
import { ClockRecord, Database, installation, migrate, openDatabase, readMasterKeys } from '#libs/persistence';
import { HeldQueues, HeldRecipients } from '#libs/queue';
import { tlsReportOf, type TlsReport } from '#libs/tls-reports';
import { openContents, openSystemMail, type StoredContents } from '#libs/emails';
import { FirstOwner, renewInvitations, UserLinks, Users, type RenewedInvitation } from '#libs/users';
import { LinkMail } from '#libs/notices';
import { Certificates } from './installed-certificates.js';
import { StatisticsFiles } from './statistics-files.js';

export interface Administration {
  accounts: Accounts;
  certificates: Certificates;
  clock: ClockRecord;
  consumers: LogConsumers;
  apiKeys: ApiKeys;
  domains: SendingDomains;
  erasures: Erasures;
  inbound: InboundStore;
  queues: HeldQueues;
  parked: ParkedEvents;
  rotation: DkimRotation;
  zone: DkimZone;
  audit: AuditLog;
  firstOwner: FirstOwner;
  /** Base of the links to this service. */
  publicUrl: string;
  /** False: every message is captured. */
  deliversMail: boolean;
  /** Sends the open invitations of an address again. @throws Refusal if a message is not accepted */
  resendInvitations(email: string): Promise<RenewedInvitation[]>;
  /** Null: there was no TLS session on that day. */
  tlsReport(domain: string, day: string): Promise<TlsReport | null>;
  statistics: StatisticsFiles;
  held: HeldRecipients;
  config: Config;
  database: Database;
  log: Log;
  /** The stores of contents, which are opened for the call. */
  contents(): Promise<StoredContents>;
  masterKey: {
    status(): ReturnType<typeof installation.masterKeyStatus>;
    rotate(): ReturnType<typeof installation.rotateMasterKey>;
  };
  close(): Promise<void>;
}

/** Constructs the classes that the commands need; a Nest application around them would take longer to start. */
export async function openAdministration(settings: Config, log: Log): Promise<Administration> {
  await readMasterKeys(settings);
  const opened = await openDatabase({
    config: settings,
    log,
    entities: [AccountEntity, ApiKeyEntity, DomainEntity],
  });
  const { dataSource } = opened;
  try {
    await migrate(dataSource, { log });
    const database = new Database(dataSource);
    const audit = new AuditLog();
    const { config, secretBox } = await withMasterKey(database, settings);
    const accounts = new Accounts(dataSource.getRepository(AccountEntity), database, secretBox, config, audit);
    const users = new Users(database, audit);
    const domains = new SendingDomains(dataSource.getRepository(DomainEntity), database, secretBox, config);
    const mail = new LinkMail(openSystemMail({ database, accounts, domains, config, log }), config, log);
    return {
      accounts,
      certificates: new Certificates(database, config),
      clock: new ClockRecord(database),
      consumers: LogConsumers.of(database, config),
      apiKeys: new ApiKeys(dataSource.getRepository(ApiKeyEntity), database, secretBox, log),
      domains,
      resendInvitations: async (email) => {
        const renewed = await renewInvitations(database, audit, email);
        for (const { letter } of renewed) await mail.sendRequested(letter);
        return renewed;
      },
      rotation: new DkimRotation(database, secretBox, config, new LocalNotifications()),
      zone: new DkimZone(database, config.settings.SERVICE_DOMAIN),
      audit,
      firstOwner: new FirstOwner(database, accounts, users, new UserLinks(database), config, log),
      publicUrl: config.settings.PUBLIC_URL,
      deliversMail: config.settings.DELIVERY_MODE !== 'capture',
      erasures: new Erasures(database, secretBox, config, audit),
      inbound: new InboundStore(database),
      queues: new HeldQueues(database),
      parked: new ParkedEvents(database),
      tlsReport: (domain, day) => tlsReportOf(database, { domain, day, submitter: config.settings.SERVICE_DOMAIN }),
      statistics: new StatisticsFiles(database, config, log),
      held: new HeldRecipients(database),
      config,
      database,
      log,
      contents: () => openContents(config, database, log),
      masterKey: {
        status: () => installation.masterKeyStatus(database, settings),
        rotate: () => installation.rotateMasterKey(database, settings),
      },
      close: () => opened.close(),
    };
  } catch (error) {
    await opened.close();
    throw error;
  }
}

async function withMasterKey(database: Database, settings: Config): Promise<{ config: Config; secretBox: SecretBox }> {
  const config = await installation.establishMasterKey(database, settings);
  return { config, secretBox: SecretBox.of(config) };
}

/** @throws Refusal not_found, with a sentence that names the account. */
export async function requireAccount({ accounts }: Administration, id: string): Promise<void> {
  if ((await accounts.find(id)) === null) throw new Refusal('not_found', [], `There is no account ${id}.`);
}
