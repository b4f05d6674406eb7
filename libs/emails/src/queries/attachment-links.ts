import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config, SecretBox, databaseClock } from '#libs/kernel';

const LIFETIME_MS = 3_600_000;
const ACCOUNT_BYTES = 16;
/** Seconds since 1970. */
const TIME_BYTES = 6;
const MAC_BYTES = 16;

/** The attachment that a link opens. */
export interface AttachmentRef {
  emailId: string;
  attachmentId: string;
}

/**
 * Links to one attachment that are valid for an hour and need no API key, so that a browser or another program may open
 * them. A token contains the account, the expiry time, and a MAC over both and the attachment.
 */
@Injectable()
export class AttachmentLinks {
  /** The first one writes. */
  private readonly keys: readonly Buffer[];
  private readonly base: string;

  constructor(config: Config) {
    const { MASTER_KEY, PUBLIC_URL } = config.settings;
    if (!MASTER_KEY) throw new Error('MASTER_KEY must be known');
    this.keys = [MASTER_KEY, ...config.earlierMasterKeys].map((key) => SecretBox.deriveKey(key, 'attachment links'));
    this.base = PUBLIC_URL;
  }

  make(accountId: string, attachment: AttachmentRef, now = databaseClock.date()): { url: string; expiresAt: Date } {
    const expiresAt = new Date(Math.ceil((now.getTime() + LIFETIME_MS) / 1000) * 1000);
    const info = Buffer.alloc(ACCOUNT_BYTES + TIME_BYTES);
    info.write(accountId.slice('acc_'.length), 'hex');
    info.writeUIntBE(expiresAt.getTime() / 1000, ACCOUNT_BYTES, TIME_BYTES);
    const token = Buffer.concat([info, this.mac(this.keys[0], info, attachment)]).toString('base64url');
    const path = `/emails/${attachment.emailId}/attachments/${attachment.attachmentId}/download?token=${token}`;
    return { url: `${this.base}${path}`, expiresAt };
  }

  /**
   * Returns the account that the token was created for; null if the token is invalid, expired, or for another
   * attachment.
   */
  read(token: string, attachment: AttachmentRef, now = databaseClock.date()): string | null {
    const bytes = Buffer.from(token, 'base64url');
    // Decoding is lenient: only the canonical spelling is accepted.
    if (bytes.length !== ACCOUNT_BYTES + TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return null;
    const info = bytes.subarray(0, ACCOUNT_BYTES + TIME_BYTES);
    const mac = bytes.subarray(info.length);
    if (!this.keys.some((key) => timingSafeEqual(this.mac(key, info, attachment), mac))) return null;
    if (info.readUIntBE(ACCOUNT_BYTES, TIME_BYTES) * 1000 <= now.getTime()) return null;
    return `acc_${info.toString('hex', 0, ACCOUNT_BYTES)}`;
  }

  private mac(key: Buffer, info: Buffer, { emailId, attachmentId }: AttachmentRef): Buffer {
    return createHmac('sha256', key).update(info).update(`${emailId} ${attachmentId}`).digest().subarray(0, MAC_BYTES);
  }
}
