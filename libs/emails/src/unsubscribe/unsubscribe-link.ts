import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { MailToken, type TokenName } from '../mail-token.js';

/** Nobody guesses it, however long he tries (promises S-49). */
const MAC_BYTES = 16;
/** Comes out of 33 bytes, so every one of its letters counts. */
const TOKEN = /^[A-Za-z0-9_-]{44}$/;

/** The address at which one recipient of one mail unsubscribes: `$PUBLIC_URL/unsubscribe/<token>`. */
@Injectable()
export class UnsubscribeLink {
  private readonly token: MailToken;
  private readonly base: string;

  constructor(config: Config) {
    this.token = new MailToken(config.settings.MASTER_KEY, 'unsubscribe', MAC_BYTES);
    this.base = config.settings.PUBLIC_URL.replace(/\/+$/, '');
  }

  url(emailId: string, ordinal: number): string {
    return `${this.base}/unsubscribe/${this.token.write({ emailId, ordinal }).toString('base64url')}`;
  }

  /** Whose link it is; null for anything that we did not make. */
  read(token: string): TokenName | null {
    return TOKEN.test(token) ? this.token.read(Buffer.from(token, 'base64url')) : null;
  }
}
