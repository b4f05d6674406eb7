import { createHmac, timingSafeEqual } from 'node:crypto';
import { SecretBox } from '#libs/kernel';

const ID_BYTES = 16;
const NAME_BYTES = ID_BYTES + 1;

/** One recipient of one mail: the mail's id and his place in it. */
export interface TokenName {
  emailId: string;
  ordinal: number;
}

/**
 * Names a recipient of a mail in bytes that nobody else can make: the id's UUID, the ordinal, and a MAC under a key of
 * its own purpose. Nothing is stored for it, and no address is in it.
 */
export class MailToken {
  private readonly key: Buffer;

  constructor(
    masterKey: Buffer | undefined,
    purpose: string,
    private readonly macBytes: number,
  ) {
    if (!masterKey) throw new Error('MASTER_KEY must be known');
    this.key = SecretBox.deriveKey(masterKey, purpose);
  }

  write({ emailId, ordinal }: TokenName): Buffer {
    const name = Buffer.concat([Buffer.from(emailId.slice('em_'.length), 'hex'), Buffer.from([ordinal])]);
    return Buffer.concat([name, this.mac(name)]);
  }

  /** Null for anything that was not made here, or for another purpose. */
  read(bytes: Buffer): TokenName | null {
    if (bytes.length !== NAME_BYTES + this.macBytes) return null;
    const name = bytes.subarray(0, NAME_BYTES);
    if (!timingSafeEqual(this.mac(name), bytes.subarray(NAME_BYTES))) return null;
    return { emailId: `em_${name.subarray(0, ID_BYTES).toString('hex')}`, ordinal: name[ID_BYTES] };
  }

  private mac(name: Buffer): Buffer {
    return createHmac('sha256', this.key).update(name).digest().subarray(0, this.macBytes);
  }
}
