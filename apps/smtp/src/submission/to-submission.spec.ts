import { describe, expect, it } from 'vitest';
import type { Principal } from '#libs/accounts';
import type { RelayedMessage } from '#libs/mime';
import type { SubmittedMessage } from './submitted-message.js';
import { toSubmission, type Transaction } from './to-submission.js';

const mailbox = (address: string) => ({ address, name: '' });
const message = (to: string[], cc: string[]): SubmittedMessage => ({
  relayed: {
    from: mailbox('me@ex.org'),
    subject: 'Hello',
    messageId: '<1@ex.org>',
    files: [],
  } as unknown as RelayedMessage,
  octets: Buffer.from('text'),
  mailboxes: { to: to.map(mailbox), cc: cc.map(mailbox), replyTo: [mailbox('reply@ex.org')] },
});
const options = {
  tags: {},
  scheduledAt: null,
  unsubscribe: undefined,
  idempotencyKey: 'key',
  tracking: undefined,
  ignored: [],
};
const principal = { accountId: 'account', keyId: 'id', mode: 'live', domainIds: null } as unknown as Principal;

function submission(rcptTo: string[], given: Partial<Transaction> = {}, submitted = message([], [])) {
  return toSubmission(submitted, options, {
    principal,
    transaction: { startedAt: 5, someListed: false, refused: [], ...given },
    rcptTo: rcptTo.map((address) => ({ address, args: false as const })),
  });
}

describe('toSubmission', () => {
  it('takes the recipients of RCPT, and from the header only which field they are in', () => {
    const submitted = message(['a@EX.org', 'shown@ex.org'], ['b@ex.org', 'a@ex.org']);
    expect(submission(['c@ex.org', 'b@ex.org', 'a@ex.org'], {}, submitted)).toMatchObject({
      to: [mailbox('a@ex.org')],
      cc: [mailbox('b@ex.org')],
      bcc: [mailbox('c@ex.org')],
      replyTo: [mailbox('reply@ex.org')],
      content: { format: 'mime', message: Buffer.from('text') },
    });
  });

  it('tells the intake when suppressions were checked, unless the sending domain decides about them', () => {
    expect(submission(['a@ex.org']).suppressionsAskedAt).toBe(5);
    expect(submission(['a@ex.org'], { someListed: true }).suppressionsAskedAt).toBeUndefined();
  });

  it('identifies a repetition by its recipients, whatever their order, and by those that were refused', () => {
    const scope = (...given: Parameters<typeof submission>) => submission(...given).idempotency?.scope;
    expect(scope(['a@ex.org', 'b@ex.org'])).toBe(scope(['b@ex.org', 'a@ex.org', 'b@EX.org']));
    expect(scope(['a@ex.org'])).not.toBe(scope(['b@ex.org']));
    expect(scope(['a@ex.org'], { refused: ['b@ex.org'] })).toBe(scope(['a@ex.org', 'b@ex.org']));
  });

  it('gives the accepted recipients alone a second scope when some were refused', () => {
    expect(submission(['a@ex.org']).idempotency?.alias).toBeUndefined();
    const refused = submission(['a@ex.org'], { refused: ['b@ex.org'] }).idempotency;
    expect(refused?.alias).toBe(submission(['a@ex.org']).idempotency?.scope);
  });
});
