import { AccountEntity, Accounts, Allowances } from '#libs/accounts';
import { newId } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { AttachmentFetcher, EmailIntake, EmailLedger, HandOff, type Submission } from '#libs/emails';
import { Log, SafeFetch, SecretBox, Shutdown, Wakeups } from '#libs/kernel';
import { Worker } from '#libs/persistence';
import { ShortLists, SuppressionEntity, SuppressionList } from '#libs/suppressions';
import { createTestDatabase, type OpenTestDatabase } from './test-database.js';

/** One process of the house between intake and ledger, on a database that others may share. */
export interface PostOffice {
  intake: EmailIntake;
  ledger: EmailLedger;
  handOff: HandOff;
  worker: Worker;
  suppressions: SuppressionList;
  accounts: Accounts;
}

export interface PostOffices {
  db: OpenTestDatabase;
  accountId: string;
  /** Another process on the same database. */
  open(): Promise<PostOffice>;
  close(): Promise<void>;
}

export const SENDER_DOMAIN = 'sender.example';

/** A database with one account that may send from `sender.example`. */
export async function openPostOffices(): Promise<PostOffices> {
  const db = await createTestDatabase([AccountEntity, DomainEntity, SuppressionEntity]);
  const log = Log.quiet();
  const secretBox = new SecretBox(Buffer.alloc(32, 7));
  const domains = new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, secretBox, db.config);
  const accounts = new Accounts(db.dataSource.getRepository(AccountEntity));
  const { id: accountId } = await accounts.create({ name: 'Sender', plan: 'unlimited' });
  await domains.addVouched(accountId, SENDER_DOMAIN);
  return {
    db,
    accountId,
    open: async () => {
      const shutdown = new Shutdown(log);
      const wakeups = new Wakeups();
      const worker = new Worker(db.database, db.config, log, shutdown);
      await worker.register();
      const suppressions = new SuppressionList(db.database, new ShortLists(db.database, db.config));
      const handOff = new HandOff();
      const intake = new EmailIntake(
        db.database,
        db.config,
        shutdown,
        wakeups,
        new Allowances(db.database, db.config),
        domains,
        suppressions,
        handOff,
        new AttachmentFetcher(new SafeFetch(db.config)),
      );
      const ledger = new EmailLedger(
        db.database,
        db.config,
        worker,
        wakeups,
        suppressions,
        accounts,
        domains,
        shutdown,
      );
      return { intake, ledger, handOff, worker, suppressions, accounts };
    },
    close: () => db.close(),
  };
}

const box = (address: string) => ({ address, name: '' });

/** A submission of `accountId`, to be overridden where the test looks. */
export function submission(accountId: string, over: Partial<Submission> & { toAddresses?: string[] } = {}): Submission {
  const { toAddresses = [`${newId('evt')}@recipient.example`], ...rest } = over;
  return {
    accountId,
    keyId: 'key_test',
    mode: 'live',
    source: 'rest',
    from: box(`hello@${SENDER_DOMAIN}`),
    to: toAddresses.map(box),
    cc: [],
    bcc: [],
    replyTo: [],
    subject: 'Subject',
    tags: {},
    content: { format: 'parts', text: 'text', headers: [], attachments: [] },
    scheduledAt: null,
    idempotency: null,
    ...rest,
  };
}
