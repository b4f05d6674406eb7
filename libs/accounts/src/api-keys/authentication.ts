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
  /** Those with other master keys, in base64 as well. */
  earlier: readonly string[];
  /** The check value of the master key of `fingerprint`. */
  masterKey: Buffer;
  /** The token has our format but no valid checksum. */
  hasBadChecksum: boolean;
}

/** Finds the holder of a token by its fingerprint, so that no code compares secrets. Results are cached briefly. */
export class ApiKeyAuthentication {
  private readonly principals: TtlCache<Principal>;
  private readonly checksumExempt: TtlCache<ReadonlySet<string>>;
  /** By the SHA-256 of the token, so that no token stays in memory. */
  private readonly fingerprints = new Map<string, Omit<TokenFingerprint, 'hasBadChecksum'>>();
  /** Of the master key of `fingerprints`. */
  private keyCheck: Buffer;

  constructor(
    private readonly lookup: ApiKeyLookup,
    private readonly secretBox: SecretBox,
  ) {
    this.keyCheck = secretBox.keyCheck;
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
    return { ...this.hmacsOf(token), hasBadChecksum: tokenFormat(token) === 'bad_checksum' };
  }

  /** @throws Refusal invalid_api_key */
  async principalOf(token: TokenFingerprint): Promise<Principal> {
    if (token.hasBadChecksum && !(await this.isExempt(token))) throw new Refusal('invalid_api_key');
    const principal = (await this.principals.get(token.fingerprint)) ?? (await this.principalOfEarlier(token));
    if (principal === null) throw new Refusal('invalid_api_key');
    return principal;
  }

  /** Stores the present fingerprint of a key that has an earlier one. */
  async renew({ fingerprint, earlier, masterKey }: TokenFingerprint): Promise<void> {
    if (earlier.length === 0) return;
    const present = { fingerprint: Buffer.from(fingerprint, 'base64'), masterKey };
    await this.lookup.renew(
      earlier.map((one) => Buffer.from(one, 'base64')),
      present,
    );
    this.invalidate(present.fingerprint);
  }

  /** Of a key that is used for the first time since the master key was replaced. */
  private async principalOfEarlier(token: TokenFingerprint): Promise<Principal | null> {
    for (const earlier of token.earlier) {
      const principal = await this.principals.get(earlier);
      if (principal === null) continue;
      // Not with a fingerprint from before the rotation, such as that of a WebSocket.
      if (token.masterKey === this.secretBox.keyCheck) await this.renew(token);
      return principal;
    }
    return null;
  }

  private async isExempt({ fingerprint, earlier }: TokenFingerprint): Promise<boolean> {
    const exempt = await this.checksumExempt.get('all');
    return [fingerprint, ...earlier].some((one) => exempt?.has(one) === true);
  }

  /** Cached, because an HMAC costs several times as much as a plain digest and most requests come with the same keys. */
  private hmacsOf(token: string): Omit<TokenFingerprint, 'hasBadChecksum'> {
    const isFull = this.fingerprints.size >= CACHED_FINGERPRINTS;
    if (isFull || this.keyCheck !== this.secretBox.keyCheck) this.fingerprints.clear();
    this.keyCheck = this.secretBox.keyCheck;
    const digest = hash('sha256', token, 'base64');
    const known = this.fingerprints.get(digest);
    if (known !== undefined) return known;
    const made = {
      fingerprint: this.secretBox.fingerprint(token).toString('base64'),
      earlier: this.secretBox.otherFingerprints(token).map((one) => one.toString('base64')),
      masterKey: this.keyCheck,
    };
    this.fingerprints.set(digest, made);
    return made;
  }

  /** Makes a change of the key visible in this process; the others see it within `CACHE_MS`. */
  invalidate(fingerprint: Buffer): void {
    this.principals.delete(fingerprint.toString('base64'));
    this.checksumExempt.delete('all');
  }
}
