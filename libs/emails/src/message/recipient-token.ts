import { hash, timingSafeEqual } from 'node:crypto';
import { SecretBox, type Config } from '#libs/kernel';

const ID_BYTES = 16;
const REF_BYTES = ID_BYTES + 1;
/** SHA-256 works on blocks of 64 octets (RFC 2104 §2). */
const BLOCK_BYTES = 64;
const HASH_BYTES = 32;
const INNER_PAD = 0x36;
const OUTER_PAD = 0x5c;

/** One recipient of one email: the id of the email and the recipient's ordinal. */
export interface RecipientRef {
  emailId: string;
  ordinal: number;
}

/** The keys of tokens. */
type MasterKeys = { settings: Pick<Config['settings'], 'MASTER_KEY'> } & Pick<Config, 'earlierMasterKeys'>;

/**
 * Names a recipient in bytes that only this service can create: the UUID of the email id, the ordinal, and a MAC under
 * a key for one purpose. Nothing is stored for a token, and it contains no address
 * (docs/decisions/035-signed-tokens.md).
 *
 * The MAC is HMAC-SHA-256, computed by two hashes: an `Hmac` object costs four times as much, and every message sent
 * has two tokens.
 */
class TokenOfKey {
  private readonly inner = Buffer.alloc(BLOCK_BYTES + REF_BYTES, INNER_PAD);
  private readonly outer = Buffer.alloc(BLOCK_BYTES + HASH_BYTES, OUTER_PAD);

  constructor(
    masterKey: Buffer,
    purpose: string,
    private readonly macBytes: number,
  ) {
    for (const [at, octet] of SecretBox.deriveKey(masterKey, purpose).entries()) {
      this.inner[at] ^= octet;
      this.outer[at] ^= octet;
    }
  }

  write({ emailId, ordinal }: RecipientRef): Buffer {
    const token = Buffer.allocUnsafe(REF_BYTES + this.macBytes);
    token.write(emailId.slice('em_'.length), 'hex');
    token[ID_BYTES] = ordinal;
    token.write(this.mac(token), REF_BYTES, 'latin1');
    return token;
  }

  /** Returns null for a token that was not created here, or for another purpose. */
  read(bytes: Buffer): RecipientRef | null {
    if (bytes.length !== REF_BYTES + this.macBytes) return null;
    const mac = Buffer.from(this.mac(bytes), 'latin1');
    if (!timingSafeEqual(mac.subarray(0, this.macBytes), bytes.subarray(REF_BYTES))) return null;
    return { emailId: `em_${bytes.toString('hex', 0, ID_BYTES)}`, ordinal: bytes[ID_BYTES] };
  }

  /** The MAC of the reference at the start of `token`; one character per octet. */
  private mac(token: Buffer): string {
    token.copy(this.inner, BLOCK_BYTES, 0, REF_BYTES);
    this.outer.write(hash('sha256', this.inner, 'binary'), BLOCK_BYTES, 'latin1');
    return hash('sha256', this.outer, 'binary');
  }
}

/** Writes tokens with the present master key, and reads those of earlier ones as well. */
export class RecipientToken {
  private readonly tokens: readonly TokenOfKey[];

  constructor(keys: MasterKeys, purpose: string, macBytes: number) {
    const { MASTER_KEY } = keys.settings;
    if (!MASTER_KEY) throw new Error('MASTER_KEY must be known');
    this.tokens = [MASTER_KEY, ...keys.earlierMasterKeys].map((key) => new TokenOfKey(key, purpose, macBytes));
  }

  write(recipient: RecipientRef): Buffer {
    return this.tokens[0].write(recipient);
  }

  /** Returns null for a token that was not created here, or for another purpose. */
  read(bytes: Buffer): RecipientRef | null {
    for (const token of this.tokens) {
      const recipient = token.read(bytes);
      if (recipient !== null) return recipient;
    }
    return null;
  }
}
