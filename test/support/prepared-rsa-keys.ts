import crypto from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';

const FILE = fileURLToPath(new URL('../../.tools/test-rsa-keys.json', import.meta.url));
/** More than one test makes, so that two keys that it compares differ. */
const PAIRS = 24;
const BITS = 2048;

type Pair = { publicKey: crypto.KeyObject; privateKey: crypto.KeyObject };
const generate = promisify(crypto.generateKeyPair) as (type: string, options?: object) => Promise<Pair>;

/** Makes the keys that `useRsaKeys` hands out, unless they are kept from an earlier run. Call it in the global set-up. */
export async function prepareRsaKeys(): Promise<void> {
  if (existsSync(FILE)) return;
  const pairs = await Promise.all(Array.from({ length: PAIRS }, () => generate('rsa', { modulusLength: BITS })));
  mkdirSync(dirname(FILE), { recursive: true });
  const draft = join(dirname(FILE), `test-rsa-keys.${process.pid}`);
  writeFileSync(
    draft,
    JSON.stringify(pairs.map(({ privateKey }) => privateKey.export({ type: 'pkcs8', format: 'pem' }))),
  );
  renameSync(draft, FILE);
}

/**
 * From now on `generateKeyPair('rsa')` of this process hands out the prepared keys in turn. Each domain of each test has a
 * key, and to generate one takes 150 ms of processor time.
 */
export function useRsaKeys(): void {
  if (crypto.generateKeyPair.name === quickKeyPair.name) return;
  const pairs = (JSON.parse(readFileSync(FILE, 'utf8')) as string[]).map((pem): Pair => {
    const privateKey = crypto.createPrivateKey(pem);
    return { privateKey, publicKey: crypto.createPublicKey(pem) };
  });
  let next = 0;
  const take = (type: string, options?: { modulusLength?: number }) =>
    type === 'rsa' && options?.modulusLength === BITS
      ? Promise.resolve(pairs[next++ % pairs.length])
      : generate(type, options);
  crypto.generateKeyPair = Object.assign(quickKeyPair, { [promisify.custom]: take }) as never;
  syncBuiltinESMExports();
}

/** Only the promise form is used. */
function quickKeyPair(): never {
  throw new Error('use promisify(generateKeyPair)');
}
