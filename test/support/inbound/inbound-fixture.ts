import { pino } from 'pino';
import { AccountEntity, Accounts } from '#libs/accounts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { UnsubscribeRecipient, ReturnPath, type DeliveryJob } from '#libs/emails';
import { transactionOf } from '../../../libs/emails/src/message/return-path.js';
import { InboundStore, InboundReceiver } from '#libs/inbound';
import { loadConfig, Log, Metrics, SecretBox, LocalNotifications } from '#libs/kernel';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { UnsubscribeLink } from '../../../libs/emails/src/message/unsubscribe-link.js';
import { ReportAuthenticator } from '../../../libs/inbound/src/authentication/report-authenticator.js';
import { ReportedBounces } from '../../../libs/inbound/src/reported-bounces.js';
import { ReportedComplaints } from '../../../libs/inbound/src/reported-complaints.js';
import { openQueueFixture, SENDER_DOMAIN, submission, type QueueFixture } from '../delivery/queue-fixture.js';
import { InboundRecords } from '../../../libs/inbound/src/inbound-records.js';
import { LocalDns } from '../dns/local-dns.js';
import { OUTBOX_EVENTS } from '../persistence/test-database.js';

const LATE = /bounced|complained|unsubscribed/;
const DAY_MS = 86_400_000;
/** Every table that a mail and what comes back about it can leave rows in. */
const TABLES = [
  'emails',
  'recipients',
  'email_contents',
  'outbox',
  'attempts',
  'suppressions',
  'full_mailboxes',
  'inbound_messages',
];

/** A mail that went out, as a report can show it. */
export interface SentMail {
  id: string;
  accountId: string;
  job: DeliveryJob;
  addresses: string[];
  returnPath: string;
  trace: string;
  messageId: string;
}

export interface SendOptions {
  ageDays?: number;
  /** False: it is claimed, and nothing is known of its outcome. */
  settle?: boolean;
  accountId?: string;
  over?: Parameters<typeof submission>[1];
}

/** Who hands a message in. */
export interface Origin {
  mailFrom: string;
  helo: string;
  remoteIp: string;
}

const REPORTER: Origin = { mailFrom: '', helo: 'mx.rcpt.example', remoteIp: '192.0.2.40' };
/** Of `rcpt.example`, where nearly all recipients are. */
const SPF = { TXT: [`v=spf1 ip4:${REPORTER.remoteIp} -all`] };
const ZONE = {
  'rcpt.example': { MX: [{ preference: 10, exchange: 'mx.rcpt.example' }], ...SPF },
  'mx.rcpt.example': SPF,
  'mail.rcpt.example': SPF,
};

export type InboundFixture = Awaited<ReturnType<typeof openInboundFixture>>;

/** Intake, queue and the rules of received messages on one real database. */
export async function openInboundFixture() {
  const queueFixture = await openQueueFixture();
  const program = await queueFixture.open();
  const otherAccountId = await addAccount(queueFixture);
  const { database, config } = queueFixture.db;
  const notifications = new LocalNotifications();
  const metrics = new Metrics();
  const lines: string[] = [];
  const returnPath = new ReturnPath(config);
  const store = new InboundStore(database);
  const unsubscribes = new UnsubscribeRecipient(
    database,
    new UnsubscribeLink(config),
    program.suppressions,
    notifications,
    config,
  );
  const dns = await LocalDns.start(ZONE);
  const dnsConfig = loadConfig('smtp', {
    DATABASE_URL: queueFixture.db.url,
    CLICKHOUSE_URL: 'http://127.0.0.1:1',
    MASTER_KEY: Buffer.alloc(32, 7).toString('base64'),
    DNS_SERVERS: dns.address,
  });
  const inbound = new InboundReceiver(
    returnPath,
    new ReportedBounces(database, program.suppressions, returnPath, config, program.brakes),
    new ReportedComplaints(database, program.suppressions, unsubscribes, returnPath, config, program.brakes),
    new ReportAuthenticator(dnsConfig),
    new InboundRecords(store, new Log(pino({}, { write: (line: string) => lines.push(line) })), metrics),
    notifications,
    config,
  );
  let rung = 0;
  notifications.on('outbox', () => (rung += 1));
  const rows = async <R>(sql: string, ...values: unknown[]) => (await database.query<R>(sql, values)).rows;
  const taken = (job: DeliveryJob, ageDays = 0) => job.recipients.map(({ ordinal }) => takenAt(ordinal, ageDays));
  /** Types of a mail's events, in order. */
  const events = (id: string) =>
    rows<{ type: string; data: Record<string, unknown> }>(
      `SELECT type, data FROM ${OUTBOX_EVENTS} WHERE key = $1 ORDER BY sequence`,
      id,
    );
  return {
    queueFixture,
    program,
    /** Has `other.example`. */
    otherAccountId,
    serviceDomain: config.settings.SERVICE_DOMAIN,
    /** Address for complaints. */
    fbl: `fbl@${config.settings.SERVICE_DOMAIN}`,
    inbound,
    store,
    dns,
    returnPath,
    metrics,
    rings: () => rung,
    /** Lines of the log of `inbound`. */
    lines,
    taken,
    /** Accepted, claimed and taken by its receiver. */
    send: async (addresses: string[], options: SendOptions = {}): Promise<SentMail> => {
      const { ageDays = 0, settle = true, accountId = queueFixture.accountId, over = {} } = options;
      const domain = accountId === otherAccountId ? 'other.example' : SENDER_DOMAIN;
      const from = { address: `hello@${domain}`, name: '' };
      const { id } = await program.intake.accept(submission(accountId, { toAddresses: addresses, from, ...over }));
      const jobs = await program.queue.claim(200);
      const job = jobs.find(({ email }) => email.id === id);
      if (!job) throw new Error('the mail was not claimed');
      if (settle) for (const one of jobs) await program.queue.settle(one, taken(one, ageDays));
      const transaction = transactionOf(job);
      const [path, trace] = [returnPath.address(transaction), returnPath.trace(transaction)];
      return { id, accountId, job, addresses, returnPath: path, trace, messageId: job.email.messageId };
    },
    /** As a server that SPF of `rcpt.example` and of the names below it permits, unless the origin is another. */
    receive: (to: string | string[], message: Buffer | string, origin: Partial<Origin> = {}): Promise<void> => {
      const rcptTo = [to].flat();
      const mailboxes = rcptTo.map((address) => {
        const mailbox = inbound.mailboxOf(address);
        if (mailbox === null) throw new Error(`no mail is taken for ${address}`);
        return mailbox;
      });
      return inbound.receive({ ...REPORTER, ...origin, rcptTo, mailboxes, message: Buffer.from(message) });
    },
    rows,
    statuses: async (id: string) => {
      const text = 'SELECT status FROM recipients WHERE email_id = $1 ORDER BY ordinal';
      return (await rows<{ status: string }>(text, id)).map(({ status }) => status);
    },
    events,
    /** Types of the events that came after delivery. */
    lateTypes: async (id: string) => (await events(id)).map(({ type }) => type).filter((type) => LATE.test(type)),
    /** The operator's inbox, the oldest first. */
    stored: () =>
      rows<{ verdict: string; note: string | null; email_id: string | null }>(
        'SELECT verdict, note, email_id FROM inbound_messages ORDER BY id',
      ),
    /** Of `postloft_inbound_total`. */
    counted: async (kind: string, verdict: string) => {
      const lines = await metrics.registry.getSingleMetricAsString('postloft_inbound_total');
      return Number(new RegExp(`kind="${kind}",verdict="${verdict}"\\} (\\d+)`).exec(lines)?.[1] ?? 0);
    },
    suppressed: () =>
      rows<{ account_id: string; address: string; origin: string; source_id: string }>(
        'SELECT account_id, address, origin, source_id FROM suppressions ORDER BY account_id, address',
      ),
    clear: async () => {
      for (const table of TABLES) await database.query(`DELETE FROM ${table}`);
    },
    close: async () => {
      await dns.close();
      await queueFixture.close();
    },
  };
}

async function addAccount({ db }: QueueFixture): Promise<string> {
  const secretBox = new SecretBox(Buffer.alloc(32, 7));
  const domains = new SendingDomains(db.dataSource.getRepository(DomainEntity), db.database, secretBox, db.config);
  const accounts = new Accounts(db.dataSource.getRepository(AccountEntity), db.database, secretBox, db.config);
  const { id } = await accounts.create({ name: 'Other', plan: 'unlimited' });
  await domains.addVouched(id, 'other.example');
  return id;
}

function takenAt(ordinal: number, ageDays: number): Outcome {
  const at = new Date(Date.now() - ageDays * DAY_MS);
  return {
    key: String(ordinal),
    kind: 'delivered',
    reply: { code: 250, enhanced: '2.0.0', text: 'taken' },
    remote: { ...NO_REMOTE, mx: 'mx.rcpt.example', ip: '192.0.2.25' },
    startedAt: at,
    endedAt: at,
  };
}
