import { newId } from '#libs/contracts';
import { DomainEntity, SendingDomains } from '#libs/domains';
import { SystemMail } from '#libs/emails';
import { SecretBox } from '#libs/kernel';
import { NO_REMOTE } from '#libs/mta';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  openQueueFixture,
  submission,
  type QueueFixture,
  type QueueProcess,
} from '../../support/delivery/queue-fixture.js';

describe('suppressions by messages that are not of a customer', () => {
  let fixture: QueueFixture;
  let program: QueueProcess;
  let mail: SystemMail;

  beforeAll(async () => {
    fixture = await openQueueFixture();
    program = await fixture.open();
    const { database, dataSource, config } = fixture.db;
    const box = new SecretBox(Buffer.alloc(32, 7));
    const domains = new SendingDomains(dataSource.getRepository(DomainEntity), database, box, config);
    mail = new SystemMail(program.accounts, domains, program.intake, config);
  });
  afterAll(() => fixture?.close());

  const newAddress = () => `${newId('evt')}@recipient.example`;
  const entries = async (address: string) =>
    (
      await fixture.db.database.query<{ origin: string; limited: boolean }>(
        'SELECT origin, domain_id IS NOT NULL AS limited FROM suppressions WHERE address = $1',
        [address],
      )
    ).rows;

  function sendLink(to: string) {
    const message = Buffer.from('Subject: Set a new password\r\n\r\nhttp://localhost/app/reset?token=a\r\n');
    return mail.send({
      kind: 'login',
      to,
      subject: 'Set a new password',
      messageId: `<${to}>`,
      message,
      key: newId('evt'),
    });
  }

  async function bounce(): Promise<string[]> {
    const [job] = await program.queue.claim(10);
    const at = new Date();
    const reply = { code: 550, enhanced: '5.1.1', text: 'no such user' };
    const common = { reply, remote: { ...NO_REMOTE, mx: 'mx.example' }, startedAt: at, endedAt: at };
    await program.queue.settle(
      job,
      job.recipients.map(({ ordinal }) => ({
        ...common,
        key: String(ordinal),
        kind: 'bounced',
        phase: 'rcpt',
        class: 'invalid_recipient',
        bounceType: 'hard',
      })),
    );
    return job.recipients.map(({ address }) => address);
  }

  it('do not stop a message of the service, whose bounce stops the next one and nothing of the customer', async () => {
    const address = newAddress();
    await program.suppressions.add(fixture.db.database, {
      accountId: fixture.accountId,
      address,
      origin: 'manual',
      reason: null,
      sourceId: null,
    });
    await sendLink(address);
    expect(await bounce(), 'it was attempted').toEqual([address]);
    await expect(sendLink(address)).rejects.toMatchObject({ code: 'recipient_suppressed' });
    const other = newAddress();
    await sendLink(other);
    await bounce();
    expect(await entries(other)).toEqual([{ origin: 'bounce', limited: true }]);
    await expect(program.intake.accept(submission(fixture.accountId, { toAddresses: [other] }))).resolves.toMatchObject(
      { replayed: false },
    );
    await program.queue.claim(10);
  });

  it('are not made for members of the account by what a person sent in the dashboard', async () => {
    const [member, stranger] = [newAddress(), newAddress()];
    const userId = newId('usr');
    const { database } = fixture.db;
    await database.query('INSERT INTO users (id, email) VALUES ($1, $2)', [userId, member]);
    await database.query(`INSERT INTO memberships (account_id, user_id, role) VALUES ($1, $2, 'owner')`, [
      fixture.accountId,
      userId,
    ]);
    const trial = submission(fixture.accountId, { keyId: userId, toAddresses: [member, stranger] });
    await program.intake.accept(trial);
    await bounce();
    expect(await entries(member)).toEqual([]);
    expect(await entries(stranger)).toEqual([{ origin: 'bounce', limited: false }]);
    await program.intake.accept(submission(fixture.accountId, { toAddresses: [member] }));
    await bounce();
    expect(await entries(member), 'by a message of an application').toHaveLength(1);
  });
});
