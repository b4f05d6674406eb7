import { createCipheriv, createDecipheriv, randomBytes, scryptSync } from 'node:crypto';

/** RFC 7914: about a tenth of a second and 32 MiB. */
const COST = { N: 2 ** 15, r: 8, p: 1 };
const MEMORY = 64 * 1024 * 1024;
const SALT_BYTES = 16;
const NONCE_BYTES = 12;

interface SealedKey {
  kdf: 'scrypt';
  cipher: 'aes-256-gcm';
  N: number;
  r: number;
  p: number;
  /** These in base64. */
  salt: string;
  nonce: string;
  tag: string;
  data: string;
}

/** Encrypts the master key with a passphrase: scrypt (RFC 7914) and AES-256-GCM (NIST SP 800-38D). */
export function sealKey(key: Buffer, passphrase: string): Buffer {
  const [salt, nonce] = [randomBytes(SALT_BYTES), randomBytes(NONCE_BYTES)];
  const cipher = createCipheriv('aes-256-gcm', derive(passphrase, salt, COST), nonce);
  const data = Buffer.concat([cipher.update(key), cipher.final()]);
  const text = (bytes: Buffer) => bytes.toString('base64');
  const sealed: SealedKey = {
    ...{ kdf: 'scrypt', cipher: 'aes-256-gcm', ...COST },
    ...{ salt: text(salt), nonce: text(nonce), tag: text(cipher.getAuthTag()), data: text(data) },
  };
  return Buffer.from(`${JSON.stringify(sealed)}\n`);
}

/** @throws an error with a sentence if the passphrase is another one */
export function openKey(sealed: Buffer, passphrase: string): Buffer {
  try {
    const { N, r, p, salt, nonce, tag, data } = JSON.parse(sealed.toString('utf8')) as SealedKey;
    const bytes = (text: string) => Buffer.from(text, 'base64');
    const key = derive(passphrase, bytes(salt), { N, r, p });
    const decipher = createDecipheriv('aes-256-gcm', key, bytes(nonce)).setAuthTag(bytes(tag));
    return Buffer.concat([decipher.update(bytes(data)), decipher.final()]);
  } catch (error) {
    throw new Error('The passphrase does not open the master key of this backup.', { cause: error });
  }
}

const derive = (passphrase: string, salt: Buffer, cost: { N: number; r: number; p: number }): Buffer =>
  scryptSync(passphrase.normalize('NFC'), salt, 32, { ...cost, maxmem: MEMORY });
