import { once } from 'node:events';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { generateKeyPairSync, sign } from 'node:crypto';
import type { Worker } from 'node:worker_threads';
import { describe, expect, it } from 'vitest';
import { RsaSigners } from './rsa-signers.js';

const rsaKey = () => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
const BELOW_NORMAL = 10;

/** Of each thread of this process (proc_pid_stat(5), field 19). */
const niceness = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });

describe('RsaSigners', () => {
  it('sign as node:crypto does, each text with its own key, however many come at once', async () => {
    const signers = new RsaSigners(2);
    const keys = [rsaKey(), rsaKey(), rsaKey()];
    const tasks = Array.from({ length: 50 }, (_, i) => ({ key: keys[i % keys.length], text: `text ${i} \xe4\xff` }));
    const signatures = await Promise.all(tasks.map(({ key, text }) => signers.sign(key, text)));
    const expected = tasks.map(({ key, text }) => sign('sha256', Buffer.from(text, 'latin1'), key).toString('base64'));
    expect(signatures).toEqual(expected);
  });

  it('tell what is wrong with a key, and go on', async () => {
    const signers = new RsaSigners(1);
    const { privateKey } = generateKeyPairSync('x25519');
    const key = rsaKey();
    const [wrong, right] = await Promise.allSettled([signers.sign(privateKey, 'x'), signers.sign(key, 'x')]);
    expect(wrong).toMatchObject({ status: 'rejected', reason: expect.any(Error) as Error });
    expect(right).toMatchObject({ status: 'fulfilled' });
    expect(await signers.sign(key, 'x')).toBe((right as PromiseFulfilledResult<string>).value);
  });

  it('reject what a thread had to do that ended, and have another one do what comes then', async () => {
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

  it.skipIf(!existsSync('/proc/thread-self'))(
    'have one thread each up to the most, of less priority than others',
    async () => {
      const before = niceness().filter((nice) => nice === BELOW_NORMAL).length;
      const signers = new RsaSigners(2);
      const key = rsaKey();
      await signers.sign(key, 'alone');
      expect(niceness().filter((nice) => nice === BELOW_NORMAL)).toHaveLength(before + 1);
      await Promise.all(Array.from({ length: 10 }, (_, i) => signers.sign(key, `${i}`)));
      expect(niceness().filter((nice) => nice === BELOW_NORMAL)).toHaveLength(before + 2);
    },
  );
});
