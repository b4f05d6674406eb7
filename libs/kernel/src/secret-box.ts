import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest: AES-256-GCM (NIST SP 800-38D) with a key derived from MASTER_KEY, bound to the id of the row
 * that contains the ciphertext, so that it does not decrypt in another row. Layout: version, nonce, tag, data.
 */
export class SecretBox {
  private readonly sealKey: Buffer;
  private readonly pepper: Buffer;
  /** 32 bytes that are equal only for the same MASTER_KEY and say nothing else about it; stored in the database. */
  readonly keyCheck: Buffer;

  constructor(masterKey: Buffer) {
    this.sealKey = derive(masterKey, 'postloft secrets at rest');
    this.pepper = derive(masterKey, 'postloft api key pepper');
    this.keyCheck = derive(masterKey, 'postloft master key check');
  }

  seal(plain: string, rowId: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce).setAAD(Buffer.from(rowId));
    const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), data]);
  }

  /** @throws if the ciphertext was altered, or belongs to another row or another MASTER_KEY */
  open(sealed: Buffer, rowId: string): string {
    if (sealed[0] !== VERSION) throw new Error('unknown version of a sealed secret');
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, nonce).setAAD(Buffer.from(rowId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  }

  /** HMAC-SHA-256 with the pepper; stored instead of an API key. */
  fingerprint(secret: string): Buffer {
    return createHmac('sha256', this.pepper).update(secret).digest();
  }

  /** A key for one purpose, for example signed return paths; always the same for one MASTER_KEY. */
  static deriveKey(masterKey: Buffer, purpose: string): Buffer {
    return derive(masterKey, `postloft ${purpose}`);
  }
}

function derive(masterKey: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), info, 32));
}
