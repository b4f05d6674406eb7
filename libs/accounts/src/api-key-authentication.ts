import { Refusal } from '#libs/contracts';
import { RecentAnswers, type SecretBox } from '#libs/kernel';
import { ApiKeyLookup } from './api-key-lookup.js';
import { examineToken, MAX_TOKEN_LENGTH } from './api-key-token.js';
import type { Principal } from './principal.js';

/** Revocation and standing must count within one second (promise S-5); the other half is for a machine under load. */
const CACHE_MS = 500;
const CACHED_KEYS = 20_000;

/** Who holds a token: found by its fingerprint, so that no code ever compares secrets, and remembered briefly. */
export class ApiKeyAuthentication {
  private readonly recent: RecentAnswers<Principal>;
  private readonly exempt: RecentAnswers<ReadonlySet<string>>;

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

  /** @throws Refusal invalid_api_key */
  async principalOf(token: string): Promise<Principal> {
    if (token === '' || token.length > MAX_TOKEN_LENGTH) throw new Refusal('invalid_api_key');
    const fingerprint = this.secretBox.fingerprint(token).toString('base64');
    if (examineToken(token) === 'broken' && !(await this.exempt.get('all'))?.has(fingerprint))
      throw new Refusal('invalid_api_key');
    const principal = await this.recent.get(fingerprint);
    if (principal === null) throw new Refusal('invalid_api_key');
    return principal;
  }

  /** This process sees a change of the key at once, the others within `CACHE_MS`. */
  forget(fingerprint: Buffer): void {
    this.recent.forget(fingerprint.toString('base64'));
    this.exempt.forget('all');
  }
}
