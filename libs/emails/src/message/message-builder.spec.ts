import { describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import type { DeliveryPolicies, DomainKeys } from '#libs/domains';
import { loadConfig, Log } from '#libs/kernel';
import type { Database } from '#libs/persistence';
import { encodeParts } from './stored-parts.js';
import type { DeliveryJob } from './delivery-job.js';
import { MessageBuilder } from './message-builder.js';
import { contentsInDatabase } from './content/stored-contents.js';
import { OutgoingHeaders } from './outgoing-headers.js';
import { ReturnPath } from './return-path.js';
import { TrackingLinks } from '#libs/tracking';
import { TrackedContent } from './tracking/tracked-content.js';
import { UnsubscribeLink } from './unsubscribe-link.js';

const config = loadConfig('standalone', { MASTER_KEY: Buffer.alloc(32, 7).toString('base64'), DKIM_SIGNING: 'off' });
const noKeys = {} as DomainKeys; // nothing is signed
const RECIPIENTS = 30;

/** The jobs of one email whose recipients have an unsubscribe link each. */
function jobsOfOneMail(): DeliveryJob[] {
  const email = {
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
    tracking: null,
  } as unknown as DeliveryJob['email'];
  return Array.from(
    { length: RECIPIENTS },
    (_, ordinal) => ({ email, recipients: [{ ordinal }] }) as unknown as DeliveryJob,
  );
}

const file = { filename: 'a.pdf', contentType: 'application/pdf', content: Buffer.alloc(4 * 1024 * 1024, 'x') };
const content = {
  format: 'parts' as const,
  body: encodeParts({ format: 'parts', text: 'text', headers: [], attachments: [file] }),
};

describe('MessageBuilder', () => {
  it('composes a message once for concurrent jobs', async () => {
    const message = new MessageBuilder(
      noKeys,
      config,
      new OutgoingHeaders(new ReturnPath(config), new UnsubscribeLink(config), config),
      new TrackedContent({} as DeliveryPolicies, new TrackingLinks(config.settings.MASTER_KEY), config),
      contentsInDatabase({} as Database, Log.quiet()),
    );
    const pieces = await Promise.all(jobsOfOneMail().map((job) => message.build(job, content)));
    // All jobs share the buffer after their own header fields.
    expect(new Set(pieces.map(([, rest]) => rest)).size).toBe(1);
    const copies = pieces.map((of) => Buffer.concat(of));
    const links = copies.map((copy) => /^List-Unsubscribe: <(.*)>/m.exec(copy.toString('latin1', 0, 1_000))?.[1]);
    expect(new Set(links).size).toBe(RECIPIENTS);
    const bodies = copies.map((copy) => copy.subarray(copy.indexOf('From: ')));
    expect(bodies.every((body) => body.equals(bodies[0]))).toBe(true);
  });
});
