import { newId } from '#libs/contracts';
import type { SecretBox } from '#libs/kernel';
import type { DomainEntity } from './domain.entity.js';
import type { KeySupply } from './key-supply.js';
import { sealedUnder } from './sealed-under.js';
import { newSelector } from './selector.js';

export type NewDomain = Pick<
  DomainEntity,
  'id' | 'accountId' | 'name' | 'selector' | 'rsaPrivateSealed' | 'rsaPublic' | 'ed25519PrivateSealed' | 'ed25519Public'
>;

/** What every entry is born with: an id, a selector and two pairs of keys of its own. */
export async function newDomain(
  { accountId, name }: { accountId: string; name: string },
  keys: KeySupply,
  secretBox: SecretBox,
): Promise<NewDomain> {
  const id = newId('dom');
  const { rsa, ed25519 } = await keys.next();
  return {
    id,
    accountId,
    name,
    selector: newSelector(),
    rsaPrivateSealed: secretBox.seal(rsa.privateKeyPem, sealedUnder(id, 'rsa')),
    rsaPublic: rsa.publicKeyBase64,
    ed25519PrivateSealed: secretBox.seal(ed25519.privateKeyPem, sealedUnder(id, 'ed25519')),
    ed25519Public: ed25519.publicKeyBase64,
  };
}
