import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import type { DomainKeys } from '#libs/domains';
import { loadConfig } from '#libs/kernel';
import { cost } from '../../../test/support/cost.js';
import { encodeParts } from './intake/stored-parts.js';
import type { DeliveryJob } from './ledger/delivery-job.js';
import { MailMessage } from './mail-message.js';
import { OutgoingFields } from './outgoing-fields.js';
import { ReturnPath } from './return-path.js';
import { UnsubscribeLink } from './unsubscribe/unsubscribe-link.js';

const config = loadConfig('standalone', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DKIM_SIGNING: 'off' });
const noKeys = {} as DomainKeys; // nothing is signed
const RECIPIENTS = 30;

/** The jobs of one mail whose recipients have a link each. */
function jobsOfOneMail(): DeliveryJob[] {
  const mail = {
    id: newId('em'),
    domainId: newId('dom'),
    accountId: newId('acc'),
    sender: 'news@mail.example',
    to: ['ada@example.com'],
    cc: [],
    replyTo: [],
    subject: 's',
    tags: {},
    messageId: '<a@mail.example>',
    recipientCount: RECIPIENTS,
    sequence: RECIPIENTS,
    releasedAt: new Date(),
    unsubscribe: {},
  } as unknown as DeliveryJob['mail'];
  return Array.from(
    { length: RECIPIENTS },
    (_, ordinal) => ({ mail, recipients: [{ ordinal }] }) as unknown as DeliveryJob,
  );
}

const file = { filename: 'a.pdf', contentType: 'application/pdf', content: Buffer.alloc(4 * 1024 * 1024, 'x') };
const content = {
  format: 'parts' as const,
  body: encodeParts({ format: 'parts', text: 'text', headers: [], attachments: [file] }),
};

describe('MailMessage', () => {
  it('composes a mail once for the jobs that come together', async () => {
    const message = new MailMessage(
      noKeys,
      config,
      new OutgoingFields(new ReturnPath(config), new UnsubscribeLink(config), config),
    );
    const one = await cost(async () => {
      for (let i = 0; i < 3; i++) await message.bytes(jobsOfOneMail()[0], content);
    });
    let copies: Buffer[] = [];
    const all = await cost(async () => {
      const pieces = await Promise.all(jobsOfOneMail().map((job) => message.bytes(job, content)));
      copies = pieces.map((of) => Buffer.concat(of));
    });
    expect(all / RECIPIENTS).toBeLessThan(one / 3 / 2);
    const links = copies.map((copy) => /^List-Unsubscribe: <(.*)>/m.exec(copy.toString('latin1', 0, 1_000))?.[1]);
    expect(new Set(links).size).toBe(RECIPIENTS);
    const bodies = copies.map((copy) => copy.subarray(copy.indexOf('From: ')));
    expect(bodies.every((body) => body.equals(bodies[0]))).toBe(true);
  });
});
