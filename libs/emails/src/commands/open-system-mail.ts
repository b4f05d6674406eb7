import { Allowances, type Accounts } from '#libs/accounts';
import type { SendingDomains } from '#libs/domains';
import { LocalNotifications, Shutdown, type Config, type Log } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { SafeFetch } from '#libs/safe-fetch';
import { SuppressionCache, SuppressionList } from '#libs/suppressions';
import { AcceptGroups } from '../intake/accept-groups.js';
import { AttachmentFetcher } from '../intake/attachments/attachment-fetcher.js';
import { EmailIntake } from '../intake/email-intake.js';
import { contentsInDatabase } from '../message/content/stored-contents.js';
import { LocalDelivery } from '../message/local-delivery.js';
import { SystemMail } from './system-mail.js';

interface Parts {
  database: Database;
  accounts: Accounts;
  domains: SendingDomains;
  config: Config;
  log: Log;
}

/** For the command line, which is no Nest application. Accepted messages wait in the database for the running service. */
export function openSystemMail({ database, accounts, domains, config, log }: Parts): SystemMail {
  const allowances = new Allowances(database, config);
  const intake = new EmailIntake(
    config,
    new AcceptGroups(database, allowances, contentsInDatabase(database, log), new Shutdown(log)),
    new LocalNotifications(),
    allowances,
    domains,
    new SuppressionList(database, new SuppressionCache(database, config)),
    new LocalDelivery(),
    new AttachmentFetcher(new SafeFetch(config)),
  );
  return new SystemMail(accounts, domains, intake, config);
}
