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
 * that nothing is stored for a link and no other target can be reached through the service. The HMAC of a click covers the
 * host of the link too: on any other host, such as that of another account, it would be a redirect in the name of others.
 */
export class TrackingLinks {
  /** One for each master key; the first one writes. */
  private readonly openKeys: readonly Buffer[];
  private readonly clickKeys: readonly Buffer[];
  private readonly unboundClickKeys: readonly Buffer[];

  constructor(masterKey: Buffer | undefined, earlier: readonly Buffer[] = []) {
    if (!masterKey) throw new Error('MASTER_KEY must be known');
    const keysFor = (purpose: string) => [masterKey, ...earlier].map((key) => SecretBox.deriveKey(key, purpose));
    this.openKeys = keysFor('tracking open');
    this.clickKeys = keysFor('tracking click on a host');
    this.unboundClickKeys = keysFor('tracking click');
  }

  openUrl(base: string, recipient: TrackedRecipient): string {
    return `${base}/t/o/${this.write(signer(this.openKeys[0]), { ...recipient, index: 0, target: '' })}.gif`;
  }

  /**
   * Null where the target is too long, or the message has too many links.
   * @param base scheme, host and port
   */
  clickUrl(base: string, link: TrackedLink): string | null {
    if (link.index > MAX_LINKS || Buffer.byteLength(link.target) > MAX_TARGET_BYTES) return null;
    return `${base}/t/c/${this.write(signer(this.clickKeys[0], new URL(base).hostname), link)}`;
  }

  /** Null for a token that this service did not create for an open. */
  readOpen(token: string): TrackedRecipient | null {
    const link = this.readAny(
      this.openKeys.map((key) => signer(key)),
      token,
    );
    return link && { emailId: link.emailId, ordinal: link.ordinal };
  }

  /**
   * Null for a token that this service did not create for a click on this host.
   * @param host without the port
   */
  readClick(token: string, host: string): TrackedLink | null {
    return this.readAny(
      this.clickKeys.map((key) => signer(key, host)),
      token,
    );
  }

  /** A click link of a version that did not bind links to a host; the caller has to check the host. */
  readUnboundClick(token: string): TrackedLink | null {
    return this.readAny(
      this.unboundClickKeys.map((key) => signer(key)),
      token,
    );
  }

  private write(sign: Signer, { emailId, ordinal, index, target }: TrackedLink): string {
    const token = Buffer.alloc(TARGET_AT + Buffer.byteLength(target));
    token.write(emailId.slice('em_'.length), 'hex');
    token[ORDINAL_AT] = ordinal;
    token.writeUInt16BE(index, LINK_AT);
    token.write(target, TARGET_AT);
    sign(token).copy(token, MAC_AT);
    return token.toString('base64url');
  }

  private readAny(signers: readonly Signer[], text: string): TrackedLink | null {
    for (const sign of signers) {
      const link = this.read(sign, text);
      if (link !== null) return link;
    }
    return null;
  }

  private read(sign: Signer, text: string): TrackedLink | null {
    if (text.length > MAX_TOKEN_CHARACTERS) return null;
    const token = Buffer.from(text, 'base64url');
    // Only the canonical spelling: the decoder ignores unused bits and other characters.
    if (token.length < TARGET_AT || token.toString('base64url') !== text) return null;
    if (!timingSafeEqual(sign(token), token.subarray(MAC_AT, TARGET_AT))) return null;
    return {
      emailId: `em_${token.toString('hex', 0, ID_BYTES)}`,
      ordinal: token[ORDINAL_AT],
      index: token.readUInt16BE(LINK_AT),
      target: token.toString('utf8', TARGET_AT),
    };
  }
}

type Signer = (token: Buffer) => Buffer;

/** The MAC over everything but its own place, and over the host, if there is one. No host contains a zero octet. */
function signer(key: Buffer, host?: string): Signer {
  return (token) => {
    const hmac = createHmac('sha256', key);
    if (host !== undefined) hmac.update(`${canonicalHost(host)}\0`);
    return hmac.update(token.subarray(0, MAC_AT)).update(token.subarray(TARGET_AT)).digest().subarray(0, MAC_BYTES);
  };
}

/** In lower case and without a final dot, which browsers send as it was typed. */
export const canonicalHost = (host: string): string => host.toLowerCase().replace(/\.$/, '');
