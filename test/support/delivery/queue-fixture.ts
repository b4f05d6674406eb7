import { AbuseBrakes, AccountEntity, Accounts, Allowances } from '#libs/accounts';
import { newId } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { EmailIntake, LocalDelivery, type Submission } from '#libs/emails';
import { Log, Metrics, type Config, SecretBox, Shutdown, LocalNotifications } from '#libs/kernel';
import { Worker } from '#libs/persistence';
import { PenaltyPool } from '../../../libs/accounts/src/brakes/penalty-pool.js';
import { Queue } from '../../../libs/queue/src/queue.js';
import { SafeFetch } from '#libs/safe-fetch';
import { SuppressionCache, SuppressionList } from '#libs/suppressions';
import { contentsInDatabase } from '../../../libs/emails/src/message/content/stored-contents.js';
import { AcceptGroups } from '../../../libs/emails/src/intake/accept-groups.js';
import { AttachmentFetcher } from '../../../libs/emails/src/intake/attachments/attachment-fetcher.js';
import { ClaimReview } from '../../../libs/queue/src/claim/claim-review.js';
import { AttemptJournal } from '../../../libs/queue/src/journal/attempt-journal.js';
import { createTestDatabase } from '../persistence/test-database.js';

export type QueueFixture = Awaited<ReturnType<typeof openQueueFixture>>;
/** Intake and queue of one process, on a database that others may share. */
export type QueueProcess = Awaited<ReturnType<QueueFixture['open']>>;

export const SENDER_DOMAIN = 'sender.example';

/** A database with one account that may send from `sender.example`. */
export async function openQueueFixture(connections?: number, settings: Partial<Config['settings']> = {}) {
  const db = await createTestDatabase([AccountEntity, DomainEntity], connections);
  const log = Log.quiet();
  const secretBox = new SecretBox(Buffer.alloc(32, 7));
  const domains = new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, secretBox, db.config);
  const accounts = new Accounts(
    db.dataSource.getRepository(AccountEntity),
    db.database,
    secretBox,
    db.config.with(settings),
  );
  const { id: accountId } = await accounts.create({ name: 'Sender', plan: 'unlimited' });
  await domains.addVouched(accountId, SENDER_DOMAIN);
  return {
    db,
    accountId,
    /** Another process on the same database. */
    open: async () => {
      const shutdown = new Shutdown(log);
      const notifications = new LocalNotifications();
      const worker = new Worker(db.database, db.config, log, shutdown);
      await worker.register();
      const suppressions = new SuppressionList(db.database, new SuppressionCache(db.database, db.config));
      const localDelivery = new LocalDelivery();
      const allowances = new Allowances(db.database, db.config);
      const intake = new EmailIntake(
        db.config,
        new AcceptGroups(db.database, allowances, contentsInDatabase(db.database, log), shutdown),
        notifications,
        allowances,
        domains,
        suppressions,
        localDelivery,
        new AttachmentFetcher(new SafeFetch(db.config)),
      );
      const live = db.config.with({ ...settings, DELIVERY_MODE: 'mx' });
      const penaltyPool = new PenaltyPool(db.database, live, notifications, log, shutdown);
      const journal = await AttemptJournal.open(db.config, log, shutdown);
      const brakes = new AbuseBrakes(db.database, live, notifications, log, penaltyPool, shutdown, new Metrics());
      const queue = new Queue(
        db.database,
        db.config,
        worker,
        notifications,
        suppressions,
        new ClaimReview(db.database, worker, suppressions, accounts, domains, journal, db.config),
        shutdown,
        brakes,
      );
      return { intake, queue, localDelivery, worker, suppressions, accounts, brakes, penaltyPool };
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
