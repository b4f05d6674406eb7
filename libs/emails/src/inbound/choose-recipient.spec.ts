import { describe, expect, it } from 'vitest';
import type { DeliveryStatus } from '#libs/mime';
import { chooseBounced, chooseComplainer } from './choose-recipient.js';
import type { ReportedRecipient } from './reported-mail.js';

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
  const { chosen, missed } = chooseBounced(candidates, statuses);
  return { chosen: chosen.map((one) => [one.recipient.ordinal, one.himself]), missed };
};

describe('chooseBounced', () => {
  it.each([
    ['his address', failure('ada@bücher.example'), true],
    ['his address in another spelling', failure('ADA@xn--bcher-kva.EXAMPLE'), true],
    ['nobody, where he was alone', failure(null), true],
    ['him as the original recipient', failure(null, 'ada@bücher.example'), true],
    ['him as the original recipient of another one', failure('x@elsewhere.example', 'ada@bücher.example'), false],
    ['another address', failure('x@elsewhere.example'), false],
    ['somebody else of his domain', failure('grace@bücher.example'), false],
  ])('takes the only recipient for a report that names %s', (_what, status, himself) => {
    expect(bounced([ADA], status)).toEqual({ chosen: [[3, himself]], missed: 0 });
  });

  it('never guesses among several', () => {
    expect(bounced([ADA, GRACE], failure(null), failure('x@elsewhere.example'))).toEqual({ chosen: [], missed: 2 });
    expect(bounced([ADA, GRACE], failure('grace@bücher.example'), failure(null))).toEqual({
      chosen: [[4, true]],
      missed: 1,
    });
  });

  it('takes each once, and the failure that names him before one that does not', () => {
    const failures = [failure('x@elsewhere.example'), failure('ada@bücher.example'), failure('y@elsewhere.example')];
    expect(bounced([ADA], ...failures)).toEqual({ chosen: [[3, true]], missed: 0 });
    const both = chooseBounced([ADA, GRACE], [failure('grace@bücher.example'), failure('ada@bücher.example')]);
    expect(both.chosen.map((one) => one.recipient.ordinal)).toEqual([3, 4]);
  });

  it('looks at failures alone', () => {
    const delayed = { ...failure('ada@bücher.example'), action: 'delayed' } as const;
    expect(bounced([ADA], delayed)).toEqual({ chosen: [], missed: 0 });
    expect(bounced([ADA], delayed, failure('x@elsewhere.example'))).toEqual({ chosen: [], missed: 1 });
  });
});

describe('chooseComplainer', () => {
  it('takes the one who is named, or the only one', () => {
    expect(chooseComplainer([ADA, GRACE], ['GRACE@xn--bcher-kva.example'])).toEqual({
      recipient: GRACE,
      himself: true,
    });
    expect(chooseComplainer([ADA, GRACE], ['x@elsewhere.example', 'ada@bücher.example'])?.recipient).toBe(ADA);
    expect(chooseComplainer([ADA], [])).toEqual({ recipient: ADA, himself: true });
    expect(chooseComplainer([ADA], ['x@elsewhere.example'])).toEqual({ recipient: ADA, himself: false });
  });

  it('takes a redacted name for nobody’s, unless it is the name of one of them', () => {
    expect(chooseComplainer([ADA], ['5f4dcc3b@comcast.example'])).toEqual({ recipient: ADA, himself: true });
    expect(chooseComplainer([ADA], ['redacted@rcpt.example', 'x@elsewhere.example'])?.himself).toBe(false);
    expect(chooseComplainer([ADA, GRACE], ['5f4dcc3b@comcast.example'])).toBeNull();
    const hex = recipient(5, '5f4dcc3b@bücher.example');
    expect(chooseComplainer([ADA, hex], ['5f4dcc3b@bücher.example'])).toEqual({ recipient: hex, himself: true });
  });

  it('takes nobody where several may have complained', () => {
    expect(chooseComplainer([ADA, GRACE], [])).toBeNull();
    expect(chooseComplainer([ADA, GRACE], ['ada@bücher.example', 'grace@bücher.example'])).toBeNull();
    expect(chooseComplainer([ADA, GRACE], ['x@elsewhere.example'])).toBeNull();
    expect(chooseComplainer([], ['ada@bücher.example'])).toBeNull();
  });
});
