import { hash } from 'node:crypto';
import { Refusal } from '#libs/contracts';
import { RecentAnswers, type SecretBox } from '#libs/kernel';
import { ApiKeyLookup } from './api-key-lookup.js';
import { examineToken, MAX_TOKEN_LENGTH } from './api-key-token.js';
import type { Principal } from './principal.js';

/** Revocation and standing must count within one second (promise S-5); the other half is for a machine under load. */
const CACHE_MS = 500;
const CACHED_KEYS = 20_000;
const REMEMBERED_FINGERPRINTS = 10_000;

/** What is kept of a token by whoever asks again and again who holds it; the token cannot be had from it. */
export interface TokenMark {
  fingerprint: string;
  /** It has the form of our tokens and not their checksum. */
  broken: boolean;
}

/** Who holds a token: found by its fingerprint, so that no code ever compares secrets, and remembered briefly. */
export class ApiKeyAuthentication {
  private readonly recent: RecentAnswers<Principal>;
  private readonly exempt: RecentAnswers<ReadonlySet<string>>;
  /** By SHA-256 of the token: no token stays in memory. */
  private readonly fingerprints = new Map<string, string>();

  constructor(
    lookup: ApiKeyLookup,
    private readonly secretBox: SecretBox,
  ) {
    this.recent = new RecentAnswers({
      ask: (fingerprint) => lookup.find(Buffer.from(fingerprint, 'base64')),
      ttlMs: CACHE_MS,
      limit: CACHED_KEYS,
    });
    this.exempt = new RecentAnswers({ ask: () => lookup.checksumExempt(), ttlMs: CACHE_MS, limit: 1 });
  }

  /** @throws Refusal invalid_api_key: what no token looks like. */
  markOf(token: string): TokenMark {
    if (token === '' || token.length > MAX_TOKEN_LENGTH) throw new Refusal('invalid_api_key');
    return { fingerprint: this.fingerprintOf(token), broken: examineToken(token) === 'broken' };
  }

  /** @throws Refusal invalid_api_key */
  async holderOf({ fingerprint, broken }: TokenMark): Promise<Principal> {
    if (broken && !(await this.exempt.get('all'))?.has(fingerprint)) throw new Refusal('invalid_api_key');
    const principal = await this.recent.get(fingerprint);
    if (principal === null) throw new Refusal('invalid_api_key');
    return principal;
  }

  /** An HMAC costs several times what a plain digest does, and the same few keys come with every request. */
  private fingerprintOf(token: string): string {
    const digest = hash('sha256', token, 'base64');
    const known = this.fingerprints.get(digest);
    if (known !== undefined) return known;
    const fingerprint = this.secretBox.fingerprint(token).toString('base64');
    if (this.fingerprints.size >= REMEMBERED_FINGERPRINTS) this.fingerprints.clear();
    this.fingerprints.set(digest, fingerprint);
    return fingerprint;
  }

  /** This process sees a change of the key at once, the others within `CACHE_MS`. */
  forget(fingerprint: Buffer): void {
    this.recent.forget(fingerprint.toString('base64'));
    this.exempt.forget('all');
  }
}
