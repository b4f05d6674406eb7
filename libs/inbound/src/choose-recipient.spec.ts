import { describe, expect, it } from 'vitest';
import type { DeliveryStatus } from '#libs/mime';
import type { ReportedRecipient } from '#libs/queue';
import { chooseBouncedRecipients, chooseComplainer } from './choose-recipient.js';

const recipient = (ordinal: number, address: string): ReportedRecipient => ({
  ordinal,
  address,
  status: 'delivered',
  sentAt: null,
  unsubscribed: false,
});
const ADA = recipient(3, 'Ada@bücher.example');
const GRACE = recipient(4, 'grace@bücher.example');

const failure = (finalRecipient: string | null, originalRecipient: string | null = null): DeliveryStatus => ({
  action: 'failed',
  finalRecipient,
  originalRecipient,
  status: '5.1.1',
  smtpCode: 550,
  text: 'no such user',
  remoteMta: null,
});
const bounced = (candidates: ReportedRecipient[], ...statuses: DeliveryStatus[]) => {
  const { chosen, unmatched } = chooseBouncedRecipients(candidates, statuses);
  return { chosen: chosen.map((match) => [match.recipient.ordinal, match.identified]), missed: unmatched };
};

describe('chooseBouncedRecipients', () => {
  it.each([
    ['its address', failure('ada@bücher.example'), true],
    ['its address in another spelling', failure('ADA@xn--bcher-kva.EXAMPLE'), true],
    ['no address', failure(null), true],
    ['it as the original recipient', failure(null, 'ada@bücher.example'), true],
    ['it as the original recipient of another address', failure('x@elsewhere.example', 'ada@bücher.example'), false],
    ['another address', failure('x@elsewhere.example'), false],
    ['another address of its domain', failure('grace@bücher.example'), false],
  ])('chooses the only recipient for a report that names %s', (_what, status, identified) => {
    expect(bounced([ADA], status)).toEqual({ chosen: [[3, identified]], missed: 0 });
  });

  it('chooses none of several recipients without an address', () => {
    expect(bounced([ADA, GRACE], failure(null), failure('x@elsewhere.example'))).toEqual({ chosen: [], missed: 2 });
    expect(bounced([ADA, GRACE], failure('grace@bücher.example'), failure(null))).toEqual({
      chosen: [[4, true]],
      missed: 1,
    });
  });

  it('chooses each recipient once, and prefers the failure that names its address', () => {
    const failures = [failure('x@elsewhere.example'), failure('ada@bücher.example'), failure('y@elsewhere.example')];
    expect(bounced([ADA], ...failures)).toEqual({ chosen: [[3, true]], missed: 0 });
    const both = chooseBouncedRecipients(
      [ADA, GRACE],
      [failure('grace@bücher.example'), failure('ada@bücher.example')],
    );
    expect(both.chosen.map((match) => match.recipient.ordinal)).toEqual([3, 4]);
  });

  it('ignores actions other than failed', () => {
    const delayed = { ...failure('ada@bücher.example'), action: 'delayed' } as const;
    expect(bounced([ADA], delayed)).toEqual({ chosen: [], missed: 0 });
    expect(bounced([ADA], delayed, failure('x@elsewhere.example'))).toEqual({ chosen: [], missed: 1 });
  });
});

describe('chooseComplainer', () => {
  it('chooses the named recipient, or the only one', () => {
    expect(chooseComplainer([ADA, GRACE], ['GRACE@xn--bcher-kva.example'])).toEqual({
      recipient: GRACE,
      identified: true,
    });
    expect(chooseComplainer([ADA, GRACE], ['x@elsewhere.example', 'ada@bücher.example'])?.recipient).toBe(ADA);
    expect(chooseComplainer([ADA], [])).toEqual({ recipient: ADA, identified: true });
    expect(chooseComplainer([ADA], ['x@elsewhere.example'])).toEqual({ recipient: ADA, identified: false });
  });

  it('ignores a redacted address, unless it belongs to a recipient', () => {
    expect(chooseComplainer([ADA], ['5f4dcc3b@comcast.example'])).toEqual({ recipient: ADA, identified: true });
    expect(chooseComplainer([ADA], ['redacted@rcpt.example', 'x@elsewhere.example'])?.identified).toBe(false);
    expect(chooseComplainer([ADA, GRACE], ['5f4dcc3b@comcast.example'])).toBeNull();
    const hex = recipient(5, '5f4dcc3b@bücher.example');
    expect(chooseComplainer([ADA, hex], ['5f4dcc3b@bücher.example'])).toEqual({ recipient: hex, identified: true });
  });

  it('chooses no recipient if several may have complained', () => {
    expect(chooseComplainer([ADA, GRACE], [])).toBeNull();
    expect(chooseComplainer([ADA, GRACE], ['ada@bücher.example', 'grace@bücher.example'])).toBeNull();
    expect(chooseComplainer([ADA, GRACE], ['x@elsewhere.example'])).toBeNull();
    expect(chooseComplainer([], ['ada@bücher.example'])).toBeNull();
  });
});
