import { createHmac } from 'node:crypto';
import { SecretBox, type Config } from '#libs/kernel';

const HASH_DIGITS = 32;
const DOMAIN = '@erased.invalid';

/**
 * What stands in place of an erased address: a hash with a key from MASTER_KEY. It is the same for the same account and
 * address, so that an erased entry still blocks its address, and cannot be tried out without the key.
 */
export class ErasedAddresses {
  /** One for each master key, the present one first: a hash cannot be made anew without the address. */
  private readonly keys: readonly Buffer[];

  constructor({ masterKey, earlierMasterKeys }: Pick<Config, 'masterKey' | 'earlierMasterKeys'>) {
    this.keys = [masterKey, ...earlierMasterKeys].map((key) => SecretBox.deriveKey(key, 'erased addresses'));
  }

  /** @param address normalised */
  of(accountId: string, address: string, key = this.keys[0]): string {
    const hash = createHmac('sha256', key).update(`${accountId} ${address}`).digest('hex').slice(0, HASH_DIGITS);
    return `erased-${hash}${DOMAIN}`;
  }

  /**
   * The addresses of entries that may stand for an erased address, its own first: addresses were not always normalised to
   * Normalization Form C, and a hash cannot be converted.
   */
  allOf(accountId: string, address: string): string[] {
    const decomposed = address.normalize('NFD');
    const forms = decomposed === address ? [address] : [address, decomposed];
    return this.keys.flatMap((key) => forms.map((form) => this.of(accountId, form, key)));
  }
}

export const isErasedAddress = (address: string): boolean => address.startsWith('erased-') && address.endsWith(DOMAIN);
