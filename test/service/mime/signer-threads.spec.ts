import { generateKeyPairSync } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { RsaSigners } from '../../../libs/mime/src/dkim/rsa-signers.js';

const BELOW_NORMAL = 10;

/** Of each thread of this process (proc_pid_stat(5), field 19). In the unit tests other files share the process. */
const niceness = (): number[] =>
  readdirSync('/proc/self/task').map((thread) => {
    const stat = readFileSync(`/proc/self/task/${thread}/stat`, 'latin1');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[16]);
  });

it.skipIf(!existsSync('/proc/thread-self'))(
  'RSA signers have one thread each up to the most, of less priority than others',
  async () => {
    const key = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey;
    const before = niceness().filter((nice) => nice === BELOW_NORMAL).length;
    const signers = new RsaSigners(2);
    await signers.sign(key, 'alone');
    expect(niceness().filter((nice) => nice === BELOW_NORMAL)).toHaveLength(before + 1);
    await Promise.all(Array.from({ length: 10 }, (_, i) => signers.sign(key, `${i}`)));
    expect(niceness().filter((nice) => nice === BELOW_NORMAL)).toHaveLength(before + 2);
  },
);
