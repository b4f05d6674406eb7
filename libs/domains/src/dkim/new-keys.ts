import type { SecretBox } from '#libs/kernel';
import { randomBytes } from 'node:crypto';
import type { KeyPool } from './key-pool.js';
import type { SigningKey } from './key-ring.js';
import { KEY_ALGORITHMS } from './selector.js';

/** A key without a selector. */
export type NewKey = Pick<SigningKey, 'id' | 'algorithm' | 'publicKey'> & { privateSealed: Buffer };

const ID_BYTES = 8;

/** Creates an RSA and an Ed25519 key for a domain, their private halves (PKCS#8 in PEM) sealed. */
export async function newKeys(domainId: string, keyPool: KeyPool, secretBox: SecretBox): Promise<NewKey[]> {
  const pairs = await keyPool.take();
  return KEY_ALGORITHMS.map((algorithm) => {
    const id = randomBytes(ID_BYTES).toString('hex');
    return {
      id,
      algorithm,
      publicKey: pairs[algorithm].publicKeyBase64,
      privateSealed: secretBox.seal(pairs[algorithm].privateKeyPem, secretContext(domainId, id)),
    };
  });
}

/** Binds a sealed private key to its row: moved to another row or domain, it does not open. */
export const secretContext = (domainId: string, keyId: string): string => `${domainId}:${keyId}`;
