import { newId } from '#libs/contracts';
import type { SecretBox } from '#libs/kernel';
import type { KeySupply } from './dkim/key-supply.js';
import { newKeys, type NewKey } from './dkim/new-keys.js';
import { newSelector } from './dkim/selector.js';
import type { DomainEntity } from './domain.entity.js';

export type NewDomain = Pick<DomainEntity, 'id' | 'accountId' | 'name' | 'selector'> & { keys: NewKey[] };

/** What every entry is born with: an id, a name in DNS and two keys of its own. */
export async function newDomain(
  { accountId, name }: { accountId: string; name: string },
  supply: KeySupply,
  secretBox: SecretBox,
): Promise<NewDomain> {
  const id = newId('dom');
  return { id, accountId, name, selector: newSelector(), keys: await newKeys(id, supply, secretBox) };
}
