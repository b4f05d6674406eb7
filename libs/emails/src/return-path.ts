import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { MailToken, type TokenName } from './mail-token.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LETTERS = Buffer.from(ALPHABET);
/** The local part must stay within 64 octets (RFC 5321 §4.5.3.1.1). */
const MAC_BYTES = 8;
const TRACE_MAC_BYTES = 16;
/** Comes out of 33 bytes, so every one of its letters counts. */
const TRACE = /^[A-Za-z0-9_-]{44}$/;

/** RFC 5321 §4.5.3.1.3: 256 octets with the brackets around it. */
const PATH_OCTETS = 254;
/** Below the service's domain, and below every sending domain that has an alias to it. */
const LABEL = 'bounces.';

/**
 * The envelope sender of our mail (VERP): `b+<token>@bounces.<service domain>`, or below the sending domain. The token
 * names the mail and the first recipient of the transaction (details §10) and carries a MAC, so that nobody can make up
 * bounces. Base32 in lower case: local parts do not survive every system with their case.
 */
@Injectable()
export class ReturnPath {
  private readonly token: MailToken;
  private readonly traceToken: MailToken;
  private readonly serviceDomain: string;

  constructor(config: Config) {
    const { MASTER_KEY, SERVICE_DOMAIN } = config.settings;
    this.token = new MailToken(MASTER_KEY, 'return path', MAC_BYTES);
    this.traceToken = new MailToken(MASTER_KEY, 'trace', TRACE_MAC_BYTES);
    this.serviceDomain = SERVICE_DOMAIN;
  }

  /**
   * The envelope sender for the transaction that begins with recipient `ordinal` of mail `emailId`; below `domain` SPF is
   * aligned with the sender (D-44). A domain too long for it has its bounces at the service's.
   */
  address(emailId: string, ordinal: number, domain: string | null = null): string {
    const local = `b+${base32(this.token.write({ emailId, ordinal }))}`;
    const address = `${local}@${LABEL}${domain ?? this.serviceDomain}`;
    return address.length <= PATH_OCTETS ? address : `${local}@${LABEL}${this.serviceDomain}`;
  }

  /**
   * Whom a bounce to this address speaks of; null for anything that we did not make. Below which domain it stands does
   * not count: the MAC proves the token, mail is out for longer than a domain may be here, and an answer that depended on
   * the domain would tell whose mail we send.
   */
  read(address: string): TokenName | null {
    const [local, domain, more] = address.toLowerCase().split('@');
    if (more !== undefined || !domain?.startsWith(LABEL) || !local.startsWith('b+')) return null;
    const written = local.slice(2);
    const bytes = fromBase32(written);
    // One spelling only: bits that stand for nothing would make others.
    return bytes && base32(bytes) === written ? this.token.read(bytes) : null;
  }

  /**
   * The same in the message itself: the value of `X-Postloft-Ref` (D-64). A complaint report may leave out every
   * address (RFC 6590) and still tell which transaction it is about.
   */
  trace(emailId: string, ordinal: number): string {
    return this.traceToken.write({ emailId, ordinal }).toString('base64url');
  }

  /** Which transaction the value of an `X-Postloft-Ref` field names; null for anything that we did not make. */
  readTrace(value: string): TokenName | null {
    const text = value.trim();
    return TRACE.test(text) ? this.traceToken.read(Buffer.from(text, 'base64url')) : null;
  }
}

function base32(bytes: Buffer): string {
  const text = Buffer.allocUnsafe(Math.ceil((bytes.length * 8) / 5));
  let length = 0;
  let bits = 0;
  let value = 0;
  for (let at = 0; at < bytes.length; at += 1) {
    value = (value << 8) | bytes[at];
    bits += 8;
    while (bits >= 5) {
      bits -= 5;
      text[length++] = LETTERS[(value >>> bits) & 31];
    }
  }
  if (bits > 0) text[length] = LETTERS[(value << (5 - bits)) & 31];
  return text.toString('latin1');
}

function fromBase32(text: string): Buffer | null {
  let bits = 0;
  let value = 0;
  const bytes: number[] = [];
  for (const char of text) {
    const digit = ALPHABET.indexOf(char);
    if (digit < 0) return null;
    value = (value << 5) | digit;
    bits += 5;
    if (bits >= 8) {
      bytes.push((value >>> (bits - 8)) & 255);
      bits -= 8;
    }
    value &= (1 << bits) - 1;
  }
  return Buffer.from(bytes);
}
