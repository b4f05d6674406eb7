import { describe, expect, it } from 'vitest';
import type { DeliveryJob } from '#libs/emails';
import { NO_REMOTE } from '#libs/mta';
import { hardBounceSuppression, type RejectedMessage } from './suppress-on-bounce.js';
import type { RecipientOutcome } from './recipient-outcome.js';

const at = new Date('2026-01-01T00:00:00Z');
const SERVICE = 'mail.example.com';
const job = {
  email: {
    id: 'em_1',
    accountId: 'acc_1',
    domainId: 'dom_1',
    apiKeyId: 'key_1',
    test: false,
    tags: {},
    sender: 'hello@mail.example.com',
  },
} as unknown as DeliveryJob;
const entryOf = (of: RejectedMessage, outcome: RecipientOutcome) => hardBounceSuppression(of, outcome, SERVICE);

const bounced = (over: { class?: string; type?: string; text?: string; simulated?: object } = {}): RecipientOutcome =>
  ({
    recipient: {
      ordinal: 0,
      address: 'Gone@Example.com',
      attempts: 0,
      fence: 1,
      expiresAt: at,
      previousEnhanced: null,
    },
    attempts: 1,
    status: 'bounced',
    bounceType: over.type ?? 'hard',
    bounceClass: over.class ?? 'invalid_recipient',
    ...(over.simulated ? { simulated: over.simulated } : {}),
    attempt: {
      reply: { code: 550, enhanced: '5.1.1', text: over.text ?? 'No such user' },
      remote: { ...NO_REMOTE, mx: 'mx.example.com', ip: '192.0.2.1' },
      endedAt: at,
    },
  }) as unknown as RecipientOutcome;

describe('hardBounce', () => {
  it('makes an entry that says which mail bounced, where, when and in whose words', () => {
    expect(entryOf(job, bounced())).toEqual({
      accountId: 'acc_1',
      domainId: null,
      sparesMembers: false,
      address: 'gone@example.com',
      origin: 'bounce',
      reason: 'No such user',
      sourceId: 'em_1',
      evidence: {
        email_id: 'em_1',
        recipient: 'Gone@Example.com',
        smtp_code: 550,
        enhanced_code: '5.1.1',
        text: 'No such user',
        mx: 'mx.example.com',
        feedback_type: null,
        at: '2026-01-01T00:00:00.000Z',
      },
    });
  });

  it.each(['invalid_recipient', 'bad_domain', 'inactive_mailbox'])('makes an entry for the class %s', (name) => {
    expect(entryOf(job, bounced({ class: name }))).not.toBeNull();
  });

  it.each(['policy', 'authentication', 'content', 'transport_policy', 'quota', 'too_large', 'routing', 'undetermined'])(
    'makes none for the class %s, which says nothing about the recipient',
    (name) => {
      expect(entryOf(job, bounced({ class: name }))).toBeNull();
    },
  );

  it('makes none for a bounce that is not hard, for test mail and for what was simulated', () => {
    expect(entryOf(job, bounced({ type: 'soft' }))).toBeNull();
    expect(entryOf({ email: { ...job.email, test: true } }, bounced())).toBeNull();
    expect(entryOf(job, bounced({ simulated: {} }))).toBeNull();
  });

  it('limits the entry of a message of the service to its domain', () => {
    const ofService = { ...job.email, apiKeyId: null, tags: { notice: 'login' }, sender: `postmaster@${SERVICE}` };
    expect(entryOf({ email: ofService }, bounced())).toMatchObject({ domainId: 'dom_1' });
    expect(entryOf({ email: { ...ofService, sender: 'postmaster@example.org' } }, bounced())).toMatchObject({
      domainId: null,
    });
  });

  it('spares members of the account if a person sent the message in the dashboard', () => {
    expect(entryOf({ email: { ...job.email, apiKeyId: 'usr_1' } }, bounced())).toMatchObject({ sparesMembers: true });
  });

  it('never cuts a character of the words in half', () => {
    const entry = entryOf(job, bounced({ text: `${'x'.repeat(499)}\u{1f4ee} and more` }));
    expect(entry?.reason).toBe('x'.repeat(499));
  });
});
