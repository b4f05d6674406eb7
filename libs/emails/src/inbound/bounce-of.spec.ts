import { describe, expect, it } from 'vitest';
import type { DeliveryStatus } from '#libs/mime';
import { bounceOf } from './bounce-of.js';

const failed = (over: Partial<DeliveryStatus>): DeliveryStatus => ({
  action: 'failed',
  finalRecipient: null,
  originalRecipient: null,
  status: null,
  smtpCode: null,
  text: '',
  remoteMta: null,
  ...over,
});

describe('bounceOf', () => {
  it.each([
    ['5.1.1', 550, 'no such user', 'hard', 'invalid_recipient'],
    ['5.1.1', null, '', 'hard', 'invalid_recipient'],
    [null, null, 'User unknown', 'hard', 'invalid_recipient'],
    ['5.2.2', 552, 'mailbox full', 'soft', 'quota'],
    ['4.2.2', null, 'mailbox full', 'soft', 'quota'],
    ['4.4.1', null, 'connection timed out', 'soft', 'expired'],
    ['4.1.1', 450, 'user unknown', 'soft', 'expired'],
    ['5.7.1', 550, 'blocked as spam', 'soft', 'policy'],
    [null, null, 'words that nobody knows', 'undetermined', 'undetermined'],
  ] as const)('reads %s %s "%s" as %s, %s', (status, smtpCode, text, type, found) => {
    expect(bounceOf(failed({ status, smtpCode, text }), null)).toMatchObject({ type, class: found });
  });

  it('leaves what the report says as it is, in words that may be shown', () => {
    const { reply, mx } = bounceOf(failed({ text: 'User\u0007 unknown', remoteMta: 'mx\u001b.example' }), 'gw.example');
    expect(reply).toEqual({ code: null, enhanced: null, text: 'User  unknown' });
    expect(mx).toBe('mx .example');
    expect(bounceOf(failed({}), 'gw.example').mx).toBe('gw.example');
    expect(bounceOf(failed({}), null).mx).toBeNull();
  });
});
