import { createHmac, timingSafeEqual } from 'node:crypto';
import { SecretBox } from '#libs/kernel';

const ID_BYTES = 16;
const ORDINAL_AT = ID_BYTES;
const LINK_AT = ORDINAL_AT + 1;
const MAC_AT = LINK_AT + 2;
const MAC_BYTES = 16;
const TARGET_AT = MAC_AT + MAC_BYTES;
const MAX_LINKS = 0xffff;
/** A longer address is not tracked: many servers refuse request lines of more than 8,000 octets (RFC 9110 §4.1). */
export const MAX_TARGET_BYTES = 4_000;
/** Longer text is no token. */
const MAX_TOKEN_CHARACTERS = Math.ceil(((TARGET_AT + MAX_TARGET_BYTES) * 4) / 3);

/** A recipient of a message, as a tracking link names it. */
export interface TrackedRecipient {
  emailId: string;
  ordinal: number;
}

export interface TrackedLink extends TrackedRecipient {
  /** The place of the link in the message, from 0. */
  index: number;
  /** The address that the link leads to, as it stands in the message. */
  target: string;
}

/**
 * Links of the service in tracked messages: `<base>/t/o/<token>.gif` for an open, `<base>/t/c/<token>` for a click. The
 * token names message, recipient and link, holds the target of a click, and carries an HMAC-SHA-256 over all of it, so
 * that nothing is stored for a link and no other target can be reached through the service.
 */
export class TrackingLinks {
  private readonly openKey: Buffer;
  private readonly clickKey: Buffer;

  constructor(masterKey: Buffer | undefined) {
    if (!masterKey) throw new Error('MASTER_KEY must be known');
    this.openKey = SecretBox.deriveKey(masterKey, 'tracking open');
    this.clickKey = SecretBox.deriveKey(masterKey, 'tracking click');
  }

  openUrl(base: string, recipient: TrackedRecipient): string {
    return `${base}/t/o/${this.write(this.openKey, { ...recipient, index: 0, target: '' })}.gif`;
  }

  /** Null where the target is too long, or the message has too many links. */
  clickUrl(base: string, link: TrackedLink): string | null {
    if (link.index > MAX_LINKS || Buffer.byteLength(link.target) > MAX_TARGET_BYTES) return null;
    return `${base}/t/c/${this.write(this.clickKey, link)}`;
  }

  /** Null for a token that this service did not create for an open. */
  readOpen(token: string): TrackedRecipient | null {
    const link = this.read(this.openKey, token);
    return link && { emailId: link.emailId, ordinal: link.ordinal };
  }

  /** Null for a token that this service did not create for a click. */
  readClick(token: string): TrackedLink | null {
    return this.read(this.clickKey, token);
  }

  private write(key: Buffer, { emailId, ordinal, index, target }: TrackedLink): string {
    const token = Buffer.alloc(TARGET_AT + Buffer.byteLength(target));
    token.write(emailId.slice('em_'.length), 'hex');
    token[ORDINAL_AT] = ordinal;
    token.writeUInt16BE(index, LINK_AT);
    token.write(target, TARGET_AT);
    mac(key, token).copy(token, MAC_AT);
    return token.toString('base64url');
  }

  private read(key: Buffer, text: string): TrackedLink | null {
    if (text.length > MAX_TOKEN_CHARACTERS) return null;
    const token = Buffer.from(text, 'base64url');
    // Only the canonical spelling: the decoder ignores unused bits and other characters.
    if (token.length < TARGET_AT || token.toString('base64url') !== text) return null;
    if (!timingSafeEqual(mac(key, token), token.subarray(MAC_AT, TARGET_AT))) return null;
    return {
      emailId: `em_${token.toString('hex', 0, ID_BYTES)}`,
      ordinal: token[ORDINAL_AT],
      index: token.readUInt16BE(LINK_AT),
      target: token.toString('utf8', TARGET_AT),
    };
  }
}

/** Over everything but the place of the MAC itself. */
function mac(key: Buffer, token: Buffer): Buffer {
  return createHmac('sha256', key)
    .update(token.subarray(0, MAC_AT))
    .update(token.subarray(TARGET_AT))
    .digest()
    .subarray(0, MAC_BYTES);
}
