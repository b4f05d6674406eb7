import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import type { DeliveryJob } from './delivery-job.js';
import { RecipientToken, type RecipientRef } from './recipient-token.js';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const LETTERS = Buffer.from(ALPHABET);
/** The local part has at most 64 octets (RFC 5321 §4.5.3.1.1). */
const MAC_BYTES = 8;
const TRACE_MAC_BYTES = 16;
/** 33 bytes give exactly 44 characters, so every bit of every character counts. */
const TRACE_FORM = /^[A-Za-z0-9_-]{44}$/;

/** RFC 5321 §4.5.3.1.3: 256 octets including the angle brackets. */
const MAX_ADDRESS_OCTETS = 254;
/** Label below the service domain, and below every sending domain with an alias to it. */
const BOUNCES_LABEL = 'bounces.';

/** An SMTP transaction, named by its first recipient. */
export interface TransactionRef extends RecipientRef {
  /** It had no other recipient, so only a system that handled the mail of this recipient knows the token. */
  alone: boolean;
}

/** The transaction of a delivery job. */
export function transactionOf({ email, recipients }: Pick<DeliveryJob, 'email' | 'recipients'>): TransactionRef {
  return { emailId: email.id, ordinal: recipients[0].ordinal, alone: recipients.length === 1 };
}

/** The key of the MAC, one of two, says whether the recipient was the only one. */
class TransactionToken {
  private readonly shared: RecipientToken;
  private readonly alone: RecipientToken;

  constructor(config: Config, purpose: string, macBytes: number) {
    this.shared = new RecipientToken(config, purpose, macBytes);
    this.alone = new RecipientToken(config, `${purpose} alone`, macBytes);
  }

  write(transaction: TransactionRef): Buffer {
    return (transaction.alone ? this.alone : this.shared).write(transaction);
  }

  /** Returns null for a token that was not created here, or for another purpose. */
  read(bytes: Buffer): TransactionRef | null {
    const [shared, alone] = [this.shared.read(bytes), this.alone.read(bytes)];
    return (shared && { ...shared, alone: false }) ?? (alone && { ...alone, alone: true });
  }
}

/**
 * The envelope sender (VERP): `b+<token>@bounces.<service domain>`, or below the sending domain. The token names the
 * email and the first recipient of the transaction, says whether it was the only one, and carries a MAC. Base32 in lower
 * case, because some systems change the case of local parts.
 */
@Injectable()
export class ReturnPath {
  private readonly token: TransactionToken;
  private readonly traceToken: TransactionToken;
  private readonly serviceDomain: string;

  constructor(config: Config) {
    this.token = new TransactionToken(config, 'return path', MAC_BYTES);
    this.traceToken = new TransactionToken(config, 'trace', TRACE_MAC_BYTES);
    this.serviceDomain = config.settings.SERVICE_DOMAIN;
  }

  /**
   * The envelope sender of the transaction; below `domain`, SPF is aligned with the sender. If the address becomes too
   * long, the service domain is used.
   */
  address(transaction: TransactionRef, domain: string | null = null): string {
    const local = `b+${base32(this.token.write(transaction))}`;
    const address = `${local}@${BOUNCES_LABEL}${domain ?? this.serviceDomain}`;
    return address.length <= MAX_ADDRESS_OCTETS ? address : `${local}@${BOUNCES_LABEL}${this.serviceDomain}`;
  }

  /**
   * Returns the transaction that a bounce to this address is about; null for an invalid address. The domain does not
   * matter: the MAC proves the token, a bounce may arrive after the domain was removed, and an answer that depended on
   * the domain would disclose the customers.
   */
  read(address: string): TransactionRef | null {
    const [local, domain, more] = address.toLowerCase().split('@');
    if (more !== undefined || !domain?.startsWith(BOUNCES_LABEL) || !local.startsWith('b+')) return null;
    const written = local.slice(2);
    const bytes = fromBase32(written);
    // Only the canonical spelling: unused bits would allow others.
    return bytes && base32(bytes) === written ? this.token.read(bytes) : null;
  }

  /**
   * The same token in the message itself: the value of `X-Postloft-Ref`. A complaint report may omit every address (RFC
   * 6590) and still identify the transaction.
   */
  trace(transaction: TransactionRef): string {
    return this.traceToken.write(transaction).toString('base64url');
  }

  /** Returns the transaction named by an `X-Postloft-Ref` field; null for an invalid value. */
  readTrace(value: string): TransactionRef | null {
    const text = value.trim();
    return TRACE_FORM.test(text) ? this.traceToken.read(Buffer.from(text, 'base64url')) : null;
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
