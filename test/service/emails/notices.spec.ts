import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { pino } from 'pino';
import { SendingDomains, DomainEntity } from '#libs/domains';
import { SystemMail } from '#libs/emails';
import { Log, SecretBox } from '#libs/kernel';
import { NoticeSender } from '#libs/notices';
import { NoticeOutbox, requestNotice } from '#libs/persistence';
import { noticeFailingWebhooks } from '#libs/webhooks';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';
import { OUTBOX_EVENTS } from '../../support/persistence/test-database.js';

const ADDRESSES = ['ops@example.com', 'boss@example.com'];

describe('notices by mail', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  let customer: string;
  const lines: string[] = [];

  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
  });
  afterAll(() => fixture?.close());
  beforeEach(async () => {
    lines.length = 0;
    await rows('DELETE FROM notices');
    ({ id: customer } = await program.accounts.create({ name: 'Customer', plan: '10', notifyAddresses: ADDRESSES }));
  });

  const rows = async <R>(sql: string, ...values: unknown[]) => (await fixture.db.database.query<R>(sql, values)).rows;
  /** Of another program each time. */
  function newSender(process = program): NoticeSender {
    const { database, dataSource, config } = fixture.db;
    const box = new SecretBox(Buffer.alloc(32, 7));
    const domains = new SendingDomains(dataSource.getRepository(DomainEntity), database, box, config);
    const mail = new SystemMail(process.accounts, domains, process.intake, config);
    const log = new Log(pino({}, { write: (line: string) => lines.push(line) }));
    return new NoticeSender(new NoticeOutbox(database), process.accounts, mail, config, log);
  }
  const request = (day?: Date) =>
    requestNotice(fixture.db.database, {
      accountId: customer,
      kind: 'account.resumed',
      facts: { resumed_at: new Date().toISOString() },
      day,
    });
  const sent = () =>
    rows<{ id: string; header_to: string[]; sender: string; units: number }>(
      `SELECT id, account_id, sender, header_to, subject, units FROM emails WHERE tags ? 'notice' ORDER BY id`,
    );

  it('go to all addresses, from postmaster in the account of the operator, and cost no units', async () => {
    const before = (await sent()).length;
    await request();
    await newSender().round();
    const [mail] = (await sent()).slice(before);
    expect(mail).toEqual({
      id: expect.stringMatching(/^em_/) as string,
      account_id: fixture.accountId,
      sender: `postmaster@${fixture.db.config.settings.SERVICE_DOMAIN}`,
      header_to: ADDRESSES,
      subject: 'Sending is resumed',
      units: 0,
    });
    const events = await rows(`SELECT test FROM ${OUTBOX_EVENTS} WHERE key = $1`, mail.id);
    expect(events).toEqual([{ test: true }, { test: true }]);
    const [{ marked }] = await rows<{ marked: boolean }>(
      `SELECT position('Auto-Submitted'::bytea IN body) > 0 AS marked FROM email_contents WHERE email_id = $1`,
      mail.id,
    );
    expect(marked).toBe(true);
  });

  it('are sent once per cause and day, by however many programs', async () => {
    const before = (await sent()).length;
    await request();
    await request();
    const other = await fixture.open();
    await Promise.all([newSender().round(), newSender(other).round(), newSender().round()]);
    await request();
    await newSender().round();
    expect((await sent()).length - before).toBe(1);
    await request(new Date(Date.now() - 86_400_000));
    await newSender().round();
    expect((await sent()).length - before).toBe(2);
  });

  it('of an account without addresses are one line in the log', async () => {
    const before = (await sent()).length;
    await program.accounts.change(customer, { notify_addresses: [] }, { actor: 'operator' });
    await request();
    await newSender().round();
    await newSender().round();
    expect((await sent()).length).toBe(before);
    expect(lines.filter((line) => line.includes('no notify_addresses') && line.includes(customer))).toHaveLength(1);
  });

  it('are requested at 80 and 100% of the allowance, in the transaction of the message', async () => {
    const { intake } = program;
    const domain = `customer-${customer.slice(-6)}.example`;
    const box = new SecretBox(Buffer.alloc(32, 7));
    const { database, dataSource, config } = fixture.db;
    const sending = new SendingDomains(dataSource.getRepository(DomainEntity), database, box, config);
    await sending.addVouched(customer, domain);
    const from = { name: '', address: `a@${domain}` };
    const to = (count: number) => Array.from({ length: count }, (_, i) => `user${i}@recipient.example`);
    await intake.accept(submission(customer, { from, toAddresses: to(7) }));
    expect(await rows('SELECT cause FROM notices')).toEqual([]);
    await intake.accept(submission(customer, { from, toAddresses: to(3) }));
    expect(await rows('SELECT cause FROM notices ORDER BY cause')).toEqual([
      { cause: 'account.allowance_warning 100' },
      { cause: 'account.allowance_warning 80' },
    ]);
  });

  it('are requested for an endpoint that has failed for five minutes, once for the day on which that began', async () => {
    const insert = (id: string, since: string | null, status = 'enabled') =>
      rows(
        `INSERT INTO webhooks (id, account_id, url, events, status, failing_since, secret_sealed)
         VALUES ($1, $2, 'https://hooks.example/', '{*}', $3, now() - $4::interval, '')`,
        `wh_${id}`,
        customer,
        status,
        since,
      );
    await insert('failing', '6 minutes');
    await insert('shortly', '4 minutes');
    await insert('well', null);
    await insert('disabled', '6 minutes', 'disabled');
    expect(await noticeFailingWebhooks(fixture.db.database)).toBe(1);
    expect(await noticeFailingWebhooks(fixture.db.database)).toBe(0);
    expect(await rows('SELECT cause, facts FROM notices')).toEqual([
      {
        cause: 'webhook.failing wh_failing',
        facts: expect.objectContaining({ webhook_id: 'wh_failing', url: 'https://hooks.example/' }) as unknown,
      },
    ]);
  });
});
