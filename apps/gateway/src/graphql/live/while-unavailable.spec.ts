import { Refusal } from '#libs/contracts';
import { describe, expect, it } from 'vitest';
import { whileUnavailable } from './while-unavailable.js';

describe('whileUnavailable', () => {
  const noPause = () => Promise.resolve();

  /** Fails with these errors, then answers. */
  function reading(...errors: Error[]) {
    let calls = 0;
    const read = async (): Promise<string> => {
      const error = errors[calls++];
      if (error) throw error;
      return 'answer';
    };
    return { read, calls: () => calls };
  }
  const timeout = () => new Error('timeout exceeded when trying to connect');

  it('waits until the database is back', async () => {
    const { read } = reading(timeout(), timeout());
    expect(await whileUnavailable(read, noPause)).toBe('answer');
  });

  it('refuses when that takes too long', async () => {
    const { read } = reading(...Array.from({ length: 100 }, timeout));
    await expect(whileUnavailable(read, noPause)).rejects.toThrow(
      expect.objectContaining({ code: 'service_unavailable' }) as Error,
    );
  });

  it.each([new Refusal('not_found'), new Error('syntax error')])('does not repeat after %s', async (error) => {
    const { read, calls } = reading(error);
    await expect(whileUnavailable(read, noPause)).rejects.toBe(error);
    expect(calls()).toBe(1);
  });
});
