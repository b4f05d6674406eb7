import { createCipheriv, createDecipheriv, createHmac, hkdfSync, randomBytes } from 'node:crypto';
import type { Config } from './config/config.js';

/** Followed by nonce, tag and data; it does not say which master key was used. */
const WITHOUT_KEY_ID = 1;
/** Followed by the id of the master key, nonce, tag and data. */
const WITH_KEY_ID = 2;
const KEY_ID_BYTES = 4;
const NONCE_BYTES = 12;
const TAG_BYTES = 16;

/**
 * Encrypts secrets at rest: AES-256-GCM (NIST SP 800-38D) with a key derived from MASTER_KEY, bound to the id of the row
 * that contains the ciphertext, so that it does not decrypt in another row. Everything is made with the present master key;
 * what was made with an earlier one can be read (docs/decisions/055-master-key-rotation.md).
 */
export class SecretBox {
  private present: MasterKeyBox;
  private readonly known: readonly MasterKeyBox[];

  /**
   * @param earlier master keys that were replaced, or are about to replace `masterKey`
   * @param earlierUntil API keys that are stored with an earlier one work until then; absent: without end
   */
  constructor(
    masterKey: Buffer,
    earlier: readonly Buffer[] = [],
    private readonly earlierUntil?: Date,
  ) {
    this.present = new MasterKeyBox(masterKey);
    this.known = [this.present, ...earlier.map((key) => new MasterKeyBox(key))];
  }

  /** Of a program whose master keys are known. */
  static of({ masterKey, earlierMasterKeys, settings }: Config): SecretBox {
    return new SecretBox(masterKey, earlierMasterKeys, settings.MASTER_KEY_PREVIOUS_UNTIL);
  }

  /** 32 bytes that are equal only for the same MASTER_KEY and say nothing else about it; stored in the database. */
  get keyCheck(): Buffer {
    return this.present.check;
  }

  /** Makes the known key with this check value the present one. Returns false if no known key has it. */
  use(keyCheck: Buffer): boolean {
    const found = this.known.find(({ check }) => check.equals(keyCheck));
    this.present = found ?? this.present;
    return found !== undefined;
  }

  /** Without the id of the key while only one is known, so that the version before can read it. */
  seal(plain: string, rowId: string): Buffer {
    return this.present.seal(plain, rowId, this.known.length > 1);
  }

  /** @throws if the ciphertext was altered, or belongs to another row or an unknown master key */
  open(sealed: Buffer, rowId: string): string {
    const [version] = sealed;
    if (version !== WITHOUT_KEY_ID && version !== WITH_KEY_ID) throw new Error('unknown version of a sealed secret');
    const boxes = version === WITH_KEY_ID ? this.known.filter((box) => box.hasSealed(sealed)) : this.known;
    for (const box of boxes.slice(0, -1)) {
      try {
        return box.open(sealed, rowId);
      } catch {
        // Made with the next one.
      }
    }
    const last = boxes.at(-1);
    if (last === undefined) throw new Error('the master key of a sealed secret is not known');
    return last.open(sealed, rowId);
  }

  /** Null if the ciphertext is of the present master key; otherwise the same secret, sealed with it. @throws as `open` */
  reseal(sealed: Buffer, rowId: string): Buffer | null {
    if (sealed[0] === WITH_KEY_ID && this.present.hasSealed(sealed)) return null;
    return this.present.seal(this.open(sealed, rowId), rowId, true);
  }

  /** HMAC-SHA-256 with the pepper; stored instead of an API key. */
  fingerprint(secret: string): Buffer {
    return this.present.fingerprint(secret);
  }

  /** Fingerprints with the keys that are not the present one. */
  otherFingerprints(secret: string): Buffer[] {
    if (this.earlierUntil !== undefined && this.earlierUntil.getTime() < Date.now()) return [];
    return this.known.filter((box) => box !== this.present).map((box) => box.fingerprint(secret));
  }

  /** `keyCheck` of a master key. */
  static checkOf(masterKey: Buffer): Buffer {
    return derive(masterKey, 'postloft master key check');
  }

  /** A key for one purpose, for example signed return paths; always the same for one MASTER_KEY. */
  static deriveKey(masterKey: Buffer, purpose: string): Buffer {
    return derive(masterKey, `postloft ${purpose}`);
  }
}

/** The same with one master key. */
class MasterKeyBox {
  readonly check: Buffer;
  private readonly sealKey: Buffer;
  private readonly pepper: Buffer;

  constructor(masterKey: Buffer) {
    this.sealKey = derive(masterKey, 'postloft secrets at rest');
    this.pepper = derive(masterKey, 'postloft api key pepper');
    this.check = SecretBox.checkOf(masterKey);
  }

  private get id(): Buffer {
    return this.check.subarray(0, KEY_ID_BYTES);
  }

  /** Whether the ciphertext has the id of this key. */
  hasSealed(sealed: Buffer): boolean {
    return sealed.subarray(1, 1 + KEY_ID_BYTES).equals(this.id);
  }

  seal(plain: string, rowId: string, withKeyId: boolean): Buffer {
    const nonce = randomBytes(NONCE_BYTES);
    const cipher = createCipheriv('aes-256-gcm', this.sealKey, nonce).setAAD(Buffer.from(rowId));
    const data = Buffer.concat([cipher.update(plain, 'utf8'), cipher.final()]);
    const head = withKeyId ? [Buffer.from([WITH_KEY_ID]), this.id] : [Buffer.from([WITHOUT_KEY_ID])];
    return Buffer.concat([...head, nonce, cipher.getAuthTag(), data]);
  }

  open(sealed: Buffer, rowId: string): string {
    const rest = sealed.subarray(sealed[0] === WITH_KEY_ID ? 1 + KEY_ID_BYTES : 1);
    const nonce = rest.subarray(0, NONCE_BYTES);
    const tag = rest.subarray(NONCE_BYTES, NONCE_BYTES + TAG_BYTES);
    const decipher = createDecipheriv('aes-256-gcm', this.sealKey, nonce).setAAD(Buffer.from(rowId)).setAuthTag(tag);
    return Buffer.concat([decipher.update(rest.subarray(NONCE_BYTES + TAG_BYTES)), decipher.final()]).toString('utf8');
  }

  fingerprint(secret: string): Buffer {
    return createHmac('sha256', this.pepper).update(secret).digest();
  }
}

function derive(masterKey: Buffer, info: string): Buffer {
  return Buffer.from(hkdfSync('sha256', masterKey, Buffer.alloc(0), info, 32));
}
