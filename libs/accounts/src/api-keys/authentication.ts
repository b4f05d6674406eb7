import { hash } from 'node:crypto';
import { Refusal } from '#libs/contracts';
import { TtlCache, type SecretBox } from '#libs/kernel';
import { ApiKeyLookup } from './lookup.js';
import { tokenFormat, MAX_TOKEN_LENGTH } from './token.js';
import type { Principal } from './principal.js';

/** Revocation and standing must take effect within one second; half of it is a margin for a machine under load. */
const CACHE_MS = 500;
const CACHED_KEYS = 20_000;
const CACHED_FINGERPRINTS = 10_000;

/** Identifies a token for repeated authentication; the token cannot be derived from it. */
export interface TokenFingerprint {
  fingerprint: string;
  /** The token has our format but no valid checksum. */
  hasBadChecksum: boolean;
}

/** Finds the holder of a token by its fingerprint, so that no code compares secrets. Results are cached briefly. */
export class ApiKeyAuthentication {
  private readonly principals: TtlCache<Principal>;
  private readonly checksumExempt: TtlCache<ReadonlySet<string>>;
  /** By the SHA-256 of the token, so that no token stays in memory. */
  private readonly fingerprints = new Map<string, string>();

  constructor(
    lookup: ApiKeyLookup,
    private readonly secretBox: SecretBox,
  ) {
    this.principals = new TtlCache({
      load: (fingerprint) => lookup.find(Buffer.from(fingerprint, 'base64')),
      ttlMs: CACHE_MS,
      maxEntries: CACHED_KEYS,
    });
    this.checksumExempt = new TtlCache({ load: () => lookup.checksumExempt(), ttlMs: CACHE_MS, maxEntries: 1 });
  }

  /** @throws Refusal invalid_api_key for a text that cannot be a token */
  fingerprintOf(token: string): TokenFingerprint {
    if (token === '' || token.length > MAX_TOKEN_LENGTH) throw new Refusal('invalid_api_key');
    return { fingerprint: this.hmacOf(token), hasBadChecksum: tokenFormat(token) === 'bad_checksum' };
  }

  /** @throws Refusal invalid_api_key */
  async principalOf({ fingerprint, hasBadChecksum }: TokenFingerprint): Promise<Principal> {
    if (hasBadChecksum && !(await this.checksumExempt.get('all'))?.has(fingerprint))
      throw new Refusal('invalid_api_key');
    const principal = await this.principals.get(fingerprint);
    if (principal === null) throw new Refusal('invalid_api_key');
    return principal;
  }

  /** Cached, because an HMAC costs several times as much as a plain digest and most requests come with the same keys. */
  private hmacOf(token: string): string {
    const digest = hash('sha256', token, 'base64');
    const known = this.fingerprints.get(digest);
    if (known !== undefined) return known;
    const fingerprint = this.secretBox.fingerprint(token).toString('base64');
    if (this.fingerprints.size >= CACHED_FINGERPRINTS) this.fingerprints.clear();
    this.fingerprints.set(digest, fingerprint);
    return fingerprint;
  }

  /** Makes a change of the key visible in this process; the others see it within `CACHE_MS`. */
  invalidate(fingerprint: Buffer): void {
    this.principals.delete(fingerprint.toString('base64'));
    this.checksumExempt.delete('all');
  }
}
