import { BatchRefusal, Refusal, type RefusalCode } from '#libs/contracts';
import { describe, expect, it, vi } from 'vitest';
import type { AcceptResult } from './accept-request.js';
import { RepeatedRequests } from './repeated-requests.js';

const KEY = { scope: 'acc:live:send', key: 'k', bodyHash: null };
const EARLIER: AcceptResult = { replayed: true, answer: { id: 'em_first' }, emails: new Set() };
const ACCEPTED: AcceptResult = { replayed: false, answer: { id: 'em_new' }, emails: new Set() };

describe('RepeatedRequests', () => {
  const earlierResult = vi.fn<() => Promise<AcceptResult | null>>();
  const answer = (outcome: AcceptResult | Refusal, { isSubmitted = true, key = true } = {}) =>
    new RepeatedRequests({ earlierResult }).answer(key ? KEY : null, { outcome, isSubmitted });
  const refused = (code: RefusalCode) => expect.objectContaining({ code }) as unknown;

  it('reads no stored answer for an accepted request or for one without a key', async () => {
    earlierResult.mockClear();
    expect(await answer(ACCEPTED)).toBe(ACCEPTED);
    await expect(answer(new Refusal('validation_error'), { key: false })).rejects.toEqual(refused('validation_error'));
    expect(earlierResult).not.toHaveBeenCalled();
  });

  it.each([true, false])('answers a refused repetition as the first request (submitted: %s)', async (isSubmitted) => {
    earlierResult.mockResolvedValue(EARLIER);
    expect(await answer(new Refusal('recipient_suppressed'), { isSubmitted })).toBe(EARLIER);
  });

  it.each([true, false])('refuses a first request by its own refusal (submitted: %s)', async (isSubmitted) => {
    earlierResult.mockResolvedValue(null);
    await expect(answer(new Refusal('validation_error'), { isSubmitted })).rejects.toEqual(refused('validation_error'));
  });

  it('refuses another body under the key after the rules of the caller and before those of the intake', async () => {
    earlierResult.mockRejectedValue(new Refusal('idempotency_mismatch'));
    const byRules = answer(new Refusal('validation_error'), { isSubmitted: false });
    await expect(byRules).rejects.toEqual(refused('validation_error'));
    const byIntake = answer(new Refusal('recipient_suppressed'));
    await expect(byIntake).rejects.toEqual(refused('idempotency_mismatch'));
  });

  it('answers nothing of another API key to one that may not see it', async () => {
    earlierResult.mockResolvedValue(EARLIER);
    const restricted = new Refusal('restricted_api_key');
    await expect(answer(restricted)).rejects.toBe(restricted);
    await expect(answer(new BatchRefusal([restricted], false))).rejects.toEqual(refused('restricted_api_key'));
    await expect(answer(new Refusal('not_found'), { isSubmitted: false })).rejects.toEqual(refused('not_found'));
  });

  it('passes on an unexpected error', async () => {
    earlierResult.mockRejectedValue(new Error('no connection'));
    await expect(answer(new Refusal('validation_error'), { isSubmitted: false })).rejects.toThrow('no connection');
  });
});
