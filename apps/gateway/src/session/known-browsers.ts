import { randomUUID } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { SecretBox } from '#libs/kernel';
import type { KnownBrowser } from '#libs/users';
import type { RawRequest } from './browser-request.js';
import { SessionAccess } from './session-access.js';

const COOKIE = 'browser';
const SEALED_FOR = 'known browser';
const SECONDS = 180 * 86_400;
/** Users who share a browser; the one who logged in last stays. */
const MOST_USERS = 5;

type Remembered = KnownBrowser & { expiresAt: number };

/** Remembers in a sealed cookie which users have logged in with a browser. It permits nothing: only the limits of logins use it. */
@Injectable()
export class KnownBrowsers {
  constructor(
    private readonly access: SessionAccess,
    private readonly secretBox: SecretBox,
  ) {}

  /** Null without a cookie, and for one that was altered or has expired. */
  of(request: RawRequest): KnownBrowser | null {
    const sealed = this.access.browser.valueOf(request, COOKIE);
    if (sealed === null) return null;
    try {
      const { expiresAt, ...browser } = JSON.parse(
        this.secretBox.open(Buffer.from(sealed, 'base64url'), SEALED_FOR),
      ) as Remembered;
      return expiresAt > Date.now() ? browser : null;
    } catch {
      return null;
    }
  }

  /** The header `Set-Cookie` after this user has logged in. */
  cookie(request: RawRequest, userId: string): string {
    const { id, userIds } = this.of(request) ?? { id: randomUUID(), userIds: [] };
    const remembered: Remembered = {
      id,
      userIds: [userId, ...userIds.filter((one) => one !== userId)].slice(0, MOST_USERS),
      expiresAt: Date.now() + SECONDS * 1_000,
    };
    const value = this.secretBox.seal(JSON.stringify(remembered), SEALED_FOR).toString('base64url');
    return this.access.browser.cookie(request, COOKIE, { value, seconds: SECONDS });
  }
}
