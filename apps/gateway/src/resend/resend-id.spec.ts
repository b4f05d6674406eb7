import { describe, expect, it } from 'vitest';
import { fromResendId, toResendId } from './resend-id.js';

const NATIVE = 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const RESEND = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';

describe('ids of the Resend API', () => {
  it('are UUIDs', () => expect(toResendId(NATIVE)).toBe(RESEND));

  it.each([RESEND, RESEND.toUpperCase(), RESEND.replaceAll('-', ''), NATIVE])('are read from %s', (text) => {
    expect(fromResendId('em', text)).toBe(NATIVE);
  });

  it.each(['', 'em_', 'nothing', `${RESEND}0`, '../x'])('are not read from %j', (text) => {
    expect(fromResendId('em', text)).toBe(text);
  });
});
