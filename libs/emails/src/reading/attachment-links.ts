import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config, SecretBox } from '#libs/kernel';

const LIFETIME_MS = 3_600_000;
const ACCOUNT_BYTES = 16;
/** Seconds since 1970. */
const TIME_BYTES = 6;
const MAC_BYTES = 16;

/** Which file of which mail a link opens. */
export interface LinkedFile {
  emailId: string;
  attachmentId: string;
}

/**
 * Links to one file for an hour, which need no API key: a browser or another program may open them. A token has the
 * account, the time of its end, and a MAC over both and the file.
 */
@Injectable()
export class AttachmentLinks {
  private readonly key: Buffer;
  private readonly base: string;

  constructor(config: Config) {
    const { MASTER_KEY, PUBLIC_URL } = config.settings;
    if (!MASTER_KEY) throw new Error('MASTER_KEY must be known');
    this.key = SecretBox.deriveKey(MASTER_KEY, 'attachment links');
    this.base = PUBLIC_URL;
  }

  make(accountId: string, file: LinkedFile, now = new Date()): { url: string; expiresAt: Date } {
    const expiresAt = new Date(Math.ceil((now.getTime() + LIFETIME_MS) / 1000) * 1000);
    const facts = Buffer.alloc(ACCOUNT_BYTES + TIME_BYTES);
    facts.write(accountId.slice('acc_'.length), 'hex');
    facts.writeUIntBE(expiresAt.getTime() / 1000, ACCOUNT_BYTES, TIME_BYTES);
    const token = Buffer.concat([facts, this.mac(facts, file)]).toString('base64url');
    const path = `/emails/${file.emailId}/attachments/${file.attachmentId}/download?token=${token}`;
    return { url: `${this.base}${path}`, expiresAt };
  }

  /** The account that a token was made for; null for one that is altered, over, or of another file. */
  read(token: string, file: LinkedFile, now = new Date()): string | null {
    const bytes = Buffer.from(token, 'base64url');
    // Decoding is lenient: only what is written as we write it counts.
    if (bytes.length !== ACCOUNT_BYTES + TIME_BYTES + MAC_BYTES || bytes.toString('base64url') !== token) return null;
    const facts = bytes.subarray(0, ACCOUNT_BYTES + TIME_BYTES);
    if (!timingSafeEqual(this.mac(facts, file), bytes.subarray(facts.length))) return null;
    if (facts.readUIntBE(ACCOUNT_BYTES, TIME_BYTES) * 1000 <= now.getTime()) return null;
    return `acc_${facts.toString('hex', 0, ACCOUNT_BYTES)}`;
  }

  private mac(facts: Buffer, { emailId, attachmentId }: LinkedFile): Buffer {
    return createHmac('sha256', this.key)
      .update(facts)
      .update(`${emailId} ${attachmentId}`)
      .digest()
      .subarray(0, MAC_BYTES);
  }
}
