import { Injectable } from '@nestjs/common';
import { Config } from '#libs/kernel';
import { RecipientToken, type RecipientRef } from './recipient-token.js';

/** Long enough that guessing is impossible without a limit on attempts. */
const MAC_BYTES = 16;
/** 33 bytes give exactly 44 characters, so every bit of every character counts. */
const TOKEN_FORM = /^[A-Za-z0-9_-]{44}$/;

/** The unsubscribe link of one recipient of one email: `$PUBLIC_URL/unsubscribe/<token>`. */
@Injectable()
export class UnsubscribeLink {
  private readonly token: RecipientToken;
  private readonly base: string;

  constructor(config: Config) {
    this.token = new RecipientToken(config, 'unsubscribe', MAC_BYTES);
    this.base = config.settings.PUBLIC_URL;
  }

  url(emailId: string, ordinal: number): string {
    return `${this.base}/unsubscribe/${this.token.write({ emailId, ordinal }).toString('base64url')}`;
  }

  /** Returns the recipient that the link belongs to; null for an invalid token. */
  read(token: string): RecipientRef | null {
    return TOKEN_FORM.test(token) ? this.token.read(Buffer.from(token, 'base64url')) : null;
  }
}

/** Stored with an email whose recipients get an unsubscribe link provided by the service. */
export interface HostedUnsubscribe {
  /** The part after `mailto:` of the caller's own address for unsubscribing by email. */
  mailto?: string;
}
