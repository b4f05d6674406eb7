import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';

const VERSION = 1;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Secrets at rest: AES-256-GCM (NIST SP 800-38D) under a key derived from MASTER_KEY, bound to the id of the row that
 * holds the ciphertext, so that a ciphertext moved to another row does not open. Layout: version, nonce, tag, data.
 */
export class SecretBox {
  private readonly sealKey: Buffer;
  private readonly pepper: Buffer;

  constructor(masterKey: Buffer) {
    this.sealKey = derive(masterKey, 'postloft secrets at rest');
    this.pepper = derive(masterKey, 'postloft api key pepper');
  }

  seal(plain: string, rowId: string): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce).setAAD(Buffer.from(rowId));
    const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    return Buffer.concat([Buffer.from([VERSION]), nonce, cipher.getAuthTag(), data]);
  }

  /** @throws when the ciphertext was altered, belongs to another row, or was made under another MASTER_KEY. */
  open(sealed: Buffer, rowId: string): string {
    if (sealed[0] !== VERSION) throw new Error('unknown version of a sealed secret');
    const nonce = sealed.subarray(1, 1 + NONCE_BYTES);
    const tag = sealed.subarray(1 + NONCE_BYTES, 1 + NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, nonce).setAAD(Buffer.from(rowId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(sealed.subarray(1 + NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString(
      'utf8',
    );
  }

  /** HMAC-SHA-256 under the pepper: what is stored of an API key (details §9). */
  fingerprint(secret: string): Buffer {
    return createHmac('sha256', this.pepper).update(secret).digest();
  }

  /** A key for one purpose (VERP tokens, cursors, …), stable for one MASTER_KEY. */
  static deriveKey(masterKey: Buffer, purpose: string): Buffer {
    return derive(masterKey, `postloft ${purpose}`);
  }
}

function derive(masterKey: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), info, 32));
}
