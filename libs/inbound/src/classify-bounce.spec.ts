import { describe, expect, it } from 'vitest';
import type { DeliveryStatus } from '#libs/mime';
import { classifyBounce } from './classify-bounce.js';

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

describe('classifyBounce', () => {
  it.each([
    ['5.1.1', 550, 'no such user', 'hard', 'invalid_recipient'],
    ['5.1.1', null, '', 'hard', 'invalid_recipient'],
    [null, null, 'User unknown', 'hard', 'invalid_recipient'],
    ['5.2.2', 552, 'mailbox full', 'soft', 'quota'],
    ['4.2.2', null, 'mailbox full', 'soft', 'quota'],
    ['4.4.1', null, 'connection timed out', 'soft', 'expired'],
    ['4.1.1', 450, 'user unknown', 'soft', 'expired'],
    ['5.7.1', 550, 'blocked as spam', 'soft', 'policy'],
    [null, null, 'an unknown sentence', 'undetermined', 'undetermined'],
  ] as const)('classifies %s %s "%s" as %s, %s', (status, smtpCode, text, type, found) => {
    expect(classifyBounce(failed({ status, smtpCode, text }), null)).toMatchObject({ type, class: found });
  });

  it('keeps the text of the report, without control characters', () => {
    const { reply, mx } = classifyBounce(
      failed({ text: 'User\u0007 unknown', remoteMta: 'mx\u001b.example' }),
      'gw.example',
    );
    expect(reply).toEqual({ code: null, enhanced: null, text: 'User  unknown' });
    expect(mx).toBe('mx .example');
    expect(classifyBounce(failed({}), 'gw.example').mx).toBe('gw.example');
    expect(classifyBounce(failed({}), null).mx).toBeNull();
  });
});
