import { hash, timingSafeEqual } from 'node:crypto';
import { SecretBox } from '#libs/kernel';

const ID_BYTES = 16;
const NAME_BYTES = ID_BYTES + 1;
/** SHA-256 works in blocks of 64 octets; RFC 2104 §2. */
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** One recipient of one mail: the mail's id and his place in it. */
export interface TokenName {
  emailId: string;
  ordinal: number;
}

/**
 * Names a recipient of a mail in bytes that nobody else can make: the id's UUID, the ordinal, and a MAC under a key of
 * its own purpose. Nothing is stored for it, and no address is in it.
 *
 * The MAC is HMAC-SHA-256, written out as its two hashes: an `Hmac` object costs four times as much, and every mail that
 * goes out has two tokens.
 */
export class MailToken {
  private readonly inner = Buffer.alloc(BLOCK_BYTES + NAME_BYTES, INNER_PAD);
  private readonly outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, OUTER_PAD);

  constructor(
    masterKey: Buffer | undefined,
    purpose: string,
    private readonly macBytes: number,
  ) {
    if (!masterKey) throw new Error('MASTER_KEY must be known');
    for (const [at, octet] of SecretBox.deriveKey(masterKey, purpose).entries()) {
      this.inner[at] ^= octet;
      this.outer[at] ^= octet;
    }
  }

  write({ emailId, ordinal }: TokenName): Buffer {
    const token = Buffer.allocUnsafe(NAME_BYTES + this.macBytes);
    token.write(emailId.slice('em_'.length), 'hex');
    token[ID_BYTES] = ordinal;
    token.write(this.mac(token), NAME_BYTES, 'latin1');
    return token;
  }

  /** Null for anything that was not made here, or for another purpose. */
  read(bytes: Buffer): TokenName | null {
    if (bytes.length !== NAME_BYTES + this.macBytes) return null;
    const mac = Buffer.from(this.mac(bytes), 'latin1');
    if (!timingSafeEqual(mac.subarray(0, this.macBytes), bytes.subarray(NAME_BYTES))) return null;
    return { emailId: `em_${bytes.toString('hex', 0, ID_BYTES)}`, ordinal: bytes[ID_BYTES] };
  }

  /** Of the name that `token` begins with; one character per octet. */
  private mac(token: Buffer): string {
    token.copy(this.inner, BLOCK_BYTES, 0, NAME_BYTES);
    this.outer.write(hash('sha256', this.inner, 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', this.outer, 'binary');
  }
}
