import { describe, expect, it } from 'vitest';
import { fromResendId, toResendId } from './resend-id.js';

const OURS = 'em_01978c0e5f7b7c3a9d21f0b64c1e88aa';
const THEIRS = '01978c0e-5f7b-7c3a-9d21-f0b64c1e88aa';

describe('ids for clients of Resend', () => {
  it('are UUIDs', () => expect(toResendId(OURS)).toBe(THEIRS));

  it.each([THEIRS, THEIRS.toUpperCase(), THEIRS.replaceAll('-', ''), OURS])('are read from %s', (text) => {
    expect(fromResendId('em', text)).toBe(OURS);
  });

  it.each(['', 'em_', 'nothing', `${THEIRS}0`, '../x'])('leave %j as it is', (text) => {
    expect(fromResendId('em', text)).toBe(text);
  });
});
