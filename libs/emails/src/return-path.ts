import { createHmac, timingSafeEqual } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { Config, SecretBox } from '#libs/kernel';

const ALPHABET = 'abcdefghijklmnopqrstuvwxyz234567';
const MAC_BYTES = 8;
const ID_BYTES = 16;

/**
 * The envelope sender of our mail (VERP): `b+<token>@bounces.<service domain>`. The token names the mail and the first
 * recipient of the transaction (details §10) and carries a MAC, so that nobody can make up bounces. Base32 in lower
 * case: local parts do not survive every system with their case.
 */
@Injectable()
export class ReturnPath {
  private readonly key: Buffer;
  private readonly domain: string;

  constructor(config: Config) {
    const masterKey = config.settings.MASTER_KEY;
    if (!masterKey) throw new Error('MASTER_KEY must be known');
    this.key = SecretBox.deriveKey(masterKey, 'return path');
    this.domain = `bounces.${config.settings.SERVICE_DOMAIN}`;
  }

  /** The envelope sender for the transaction that begins with recipient `ordinal` of mail `emailId`. */
  address(emailId: string, ordinal: number): string {
    const name = Buffer.concat([Buffer.from(emailId.slice('em_'.length), 'hex'), Buffer.from([ordinal])]);
    return `b+${base32(Buffer.concat([name, this.mac(name)]))}@${this.domain}`;
  }

  /** Whom a bounce to this address speaks of; null for anything that we did not make. */
  read(address: string): { emailId: string; ordinal: number } | null {
    const [local, domain] = address.toLowerCase().split('@');
    if (domain !== this.domain || !local.startsWith('b+')) return null;
    const bytes = fromBase32(local.slice(2));
    if (bytes?.length !== ID_BYTES + 1 + MAC_BYTES) return null;
    const name = bytes.subarray(0, ID_BYTES + 1);
    if (!timingSafeEqual(this.mac(name), bytes.subarray(ID_BYTES + 1))) return null;
    return { emailId: `em_${name.subarray(0, ID_BYTES).toString('hex')}`, ordinal: name[ID_BYTES] };
  }

  private mac(name: Buffer): Buffer {
    return createHmac('sha256', this.key).update(name).digest().subarray(0, MAC_BYTES);
  }
}

function base32(bytes: Buffer): string {
  let bits = 0;
  let value = 0;
  let text = '';
  for (const byte of bytes) {
    value = (value << 8) | byte;
    bits += 8;
    while (bits >= 5) {
      text += ALPHABET[(value >>> (bits - 5)) & 31];
      bits -= 5;
    }
    value &= (1 << bits) - 1;
  }
  return bits > 0 ? text + ALPHABET[(value << (5 - bits)) & 31] : text;
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
