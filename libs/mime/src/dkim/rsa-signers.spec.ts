import { once } from 'node:events';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { RsaSigners } from './rsa-signers.js';

const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;

describe('RsaSigners', () => {
  it('sign like node:crypto, each of many concurrent texts with its own key', async () => {
    const signers = new RsaSigners(2);
    const keys = [rsaKey(), rsaKey(), rsaKey()];
    const tasks = Array.from({ length: 50 }, (_, i) => ({ key: keys[i % keys.length], text: `text ${i} \xe4\xff` }));
    const signatures = await Promise.all(tasks.map(({ key, text }) => signers.sign(key, text)));
    const expected = tasks.map(({ key, text }) => sign('sha256', Buffer.from(text, 'latin1'), key).toString('base64'));
    expect(signatures).toEqual(expected);
  });

  it('reject an invalid key and continue', async () => {
    const signers = new RsaSigners(1);
    const { privateKey } = generateKeyPairSync('x25519');
    const key = rsaKey();
    const [wrong, right] = await Promise.allSettled([signers.sign(privateKey, 'x'), signers.sign(key, 'x')]);
    expect(wrong).toMatchObject({ status: 'rejected', reason: expect.any(Error) as Error });
    expect(right).toMatchObject({ status: 'fulfilled' });
    expect(await signers.sign(key, 'x')).toBe((right as PromiseFulfilledResult<string>).value);
  });

  it('reject the signatures of a thread that ended, and start another one for later ones', async () => {
    const made = once(process, 'worker') as Promise<[Worker]>;
    const signers = new RsaSigners(1);
    const key = rsaKey();
    const expected = await signers.sign(key, 'x');
    const [thread] = await made;
    const lost = [signers.sign(key, 'x'), signers.sign(key, 'y')];
    const ended = thread.terminate();
    for (const { status } of await Promise.allSettled(lost)) expect(status).toBe('rejected');
    expect(await signers.sign(key, 'x')).toBe(expected);
    await ended;
  });
});
