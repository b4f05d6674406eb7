import type { SecretBox } from '#libs/kernel';
import { randomBytes } from 'node:crypto';
import { KEY_ALGORITHMS } from './key-algorithm.js';
import type { SigningKey } from './key-ring.js';
import type { KeySupply } from './key-supply.js';
import { sealedUnder } from './sealed-under.js';

/** A key without a place in DNS yet. */
export type NewKey = Pick<SigningKey, 'id' | 'algorithm' | 'publicKey'> & { privateSealed: Buffer };

const ID_BYTES = 8;

/** An RSA and an Ed25519 key for a domain, their private halves sealed (PKCS#8 in PEM). */
export async function newKeys(domainId: string, supply: KeySupply, secretBox: SecretBox): Promise<NewKey[]> {
  const pairs = await supply.next();
  return KEY_ALGORITHMS.map((algorithm) => {
    const id = randomBytes(ID_BYTES).toString('hex');
    return {
      id,
      algorithm,
      publicKey: pairs[algorithm].publicKeyBase64,
      privateSealed: secretBox.seal(pairs[algorithm].privateKeyPem, sealedUnder(domainId, id)),
    };
  });
}
