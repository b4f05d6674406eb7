import { AccountEntity, Accounts } from '#libs/accounts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import {
  EmailUnsubscribe,
  InboundMail,
  InboundStore,
  ReturnPath,
  UnsubscribeLink,
  type DeliveryJob,
} from '#libs/emails';
import { Log, Metrics, SecretBox, Wakeups } from '#libs/kernel';
import { NO_REMOTE, type Outcome } from '#libs/mta';
import { pino } from 'pino';
import { ReportedBounces } from '../../libs/emails/src/inbound/reported-bounces.js';
import { ReportedComplaints } from '../../libs/emails/src/inbound/reported-complaints.js';
import { openPostOffices, SENDER_DOMAIN, submission, type PostOffice, type PostOffices } from './post-office.js';

const LATE = /bounced|complained|unsubscribed/;
const DAY_MS = 86_400_000;
/** Every table that a mail and what comes back about it can leave rows in. */
const TABLES = [
  'emails',
  'recipients',
  'email_contents',
  'outbox_portions',
  'attempts',
  'suppressions',
  'full_mailboxes',
  'inbound_mails',
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

/** Intake, ledger and the inbound door's rules on one real database. */
export interface InboundDesk {
  offices: PostOffices;
  office: PostOffice;
  /** Has `other.example`. */
  otherAccountId: string;
  serviceDomain: string;
  /** Address for complaints. */
  fbl: string;
  inbound: InboundMail;
  store: InboundStore;
  returnPath: ReturnPath;
  metrics: Metrics;
  rings: () => number;
  /** Lines of the log of `inbound`. */
  lines: string[];
  /** Accepted, claimed and taken by its receiver. */
  send(addresses: string[], options?: SendOptions): Promise<SentMail>;
  taken(job: DeliveryJob, ageDays?: number): Outcome[];
  receive(to: string | string[], message: Buffer | string, mailFrom?: string): Promise<void>;
  rows<R>(sql: string, ...values: unknown[]): Promise<R[]>;
  statuses(id: string): Promise<string[]>;
  /** Types of a mail's events, in order. */
  events(id: string): Promise<{ type: string; data: Record<string, unknown> }[]>;
  /** Of these, those that came after delivery. */
  lateTypes(id: string): Promise<string[]>;
  /** The operator's inbox, the oldest first. */
  stored(): Promise<{ verdict: string; note: string | null; email_id: string | null }[]>;
  /** Of `postloft_inbound_total`. */
  counted(kind: string, verdict: string): Promise<number>;
  suppressed(): Promise<{ account_id: string; address: string; origin: string; source_id: string }[]>;
  clear(): Promise<void>;
  close(): Promise<void>;
}

export async function openInboundDesk(): Promise<InboundDesk> {
  const offices = await openPostOffices();
  const office = await offices.open();
  const otherAccountId = await addAccount(offices);
  const { database, config } = offices.db;
  const wakeups = new Wakeups();
  const metrics = new Metrics();
  const lines: string[] = [];
  const returnPath = new ReturnPath(config);
  const store = new InboundStore(database);
  const unsubscribes = new EmailUnsubscribe(
    database,
    new UnsubscribeLink(config),
    office.suppressions,
    wakeups,
    config,
  );
  const inbound = new InboundMail(
    returnPath,
    new ReportedBounces(database, office.suppressions, returnPath, config),
    new ReportedComplaints(database, office.suppressions, unsubscribes, returnPath, config),
    store,
    wakeups,
    new Log(pino({}, { write: (line: string) => lines.push(line) })),
    config,
    metrics,
  );
  let rung = 0;
  wakeups.on('outbox', () => (rung += 1));
  const rows = async <R>(sql: string, ...values: unknown[]) => (await database.query<R>(sql, values)).rows;
  const desk: InboundDesk = {
    offices,
    office,
    otherAccountId,
    serviceDomain: config.settings.SERVICE_DOMAIN,
    fbl: `fbl@${config.settings.SERVICE_DOMAIN}`,
    inbound,
    store,
    returnPath,
    metrics,
    rings: () => rung,
    lines,
    send: (addresses, options = {}) => send(desk, addresses, options),
    taken: (job, ageDays = 0) => job.recipients.map(({ ordinal }) => taken(ordinal, ageDays)),
    receive: (to, message, mailFrom = '') => {
      const rcptTo = [to].flat();
      const places = rcptTo.map((address) => {
        const place = inbound.place(address);
        if (place === null) throw new Error(`no mail is taken for ${address}`);
        return place;
      });
      return inbound.receive({ mailFrom, rcptTo, places, remoteIp: '192.0.2.40', message: Buffer.from(message) });
    },
    rows,
    statuses: async (id) =>
      (await rows<{ status: string }>('SELECT status FROM recipients WHERE email_id = $1 ORDER BY ordinal', id)).map(
        ({ status }) => status,
      ),
    events: (id) => rows('SELECT type, data FROM outbox WHERE key = $1 ORDER BY sequence', id),
    lateTypes: async (id) => (await desk.events(id)).map(({ type }) => type).filter((type) => LATE.test(type)),
    stored: () => rows('SELECT verdict, note, email_id FROM inbound_mails ORDER BY id'),
    counted: async (kind, verdict) => {
      const lines = await metrics.registry.getSingleMetricAsString('postloft_inbound_total');
      return Number(new RegExp(`kind="${kind}",verdict="${verdict}"\\} (\\d+)`).exec(lines)?.[1] ?? 0);
    },
    suppressed: () =>
      rows('SELECT account_id, address, origin, source_id FROM suppressions ORDER BY account_id, address'),
    clear: async () => {
      for (const table of TABLES) await database.query(`DELETE FROM ${table}`);
    },
    close: () => offices.close(),
  };
  return desk;
}

async function addAccount({ db }: PostOffices): Promise<string> {
  const domains = new SendingDomains(
    db.dataSource.getRepository(DomainEntity),
    db.database,
    new SecretBox(Buffer.alloc(32, 7)),
    db.config,
  );
  const { id } = await new Accounts(db.dataSource.getRepository(AccountEntity)).create({
    name: 'Other',
    plan: 'unlimited',
  });
  await domains.addVouched(id, 'other.example');
  return id;
}

async function send(desk: InboundDesk, addresses: string[], options: SendOptions): Promise<SentMail> {
  const { ageDays = 0, settle = true, accountId = desk.offices.accountId, over = {} } = options;
  const domain = accountId === desk.otherAccountId ? 'other.example' : SENDER_DOMAIN;
  const from = { address: `hello@${domain}`, name: '' };
  const { id } = await desk.office.intake.accept(submission(accountId, { toAddresses: addresses, from, ...over }));
  const jobs = await desk.office.ledger.claim(200);
  const job = jobs.find(({ mail }) => mail.id === id);
  if (!job) throw new Error('the mail was not claimed');
  if (settle) for (const one of jobs) await desk.office.ledger.settle(one, desk.taken(one, ageDays));
  return {
    id,
    accountId,
    job,
    addresses,
    returnPath: desk.returnPath.address(id, job.recipients[0].ordinal),
    trace: desk.returnPath.trace(id, job.recipients[0].ordinal),
    messageId: job.mail.messageId,
  };
}

function taken(ordinal: number, ageDays: number): Outcome {
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
