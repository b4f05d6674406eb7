import { Injectable } from '@nestjs/common';
import { createPrivateKey } from 'node:crypto';
import { TtlCache, SecretBox } from '#libs/kernel';
import type { DkimKey } from '#libs/mime';
import { Database } from '#libs/persistence';
import type { KeyAlgorithm } from './selector.js';
import { secretContext } from './new-keys.js';

const CACHED_DOMAINS = 2_000;
const CACHE_MS = 500;

interface KeyRow {
  id: string;
  name: string;
  algorithm: KeyAlgorithm;
  selector: string;
  sealed: Buffer;
}

interface KeysInUse {
  keys: string[];
}

interface OpenKeys extends KeysInUse {
  opened: Promise<DkimKey[]>;
}

const FIND_KEYS_IN_USE = {
  name: 'domains-key-use',
  text: `SELECT array(SELECT k.id FROM domain_keys k
                       WHERE k.domain_id = d.id AND k.state = 'active'
                         AND (k.algorithm = 'rsa' OR d.vouched
                              OR d.findings @> '[{"slot": "dkim_ed25519", "status": "verified"}]')
                       ORDER BY k.algorithm DESC) AS keys
           FROM domains d WHERE d.id = $1`,
};

const LOAD_KEYS = `
  SELECT k.id, d.name, k.algorithm, k.selector, k.private_sealed AS sealed
    FROM domain_keys k JOIN domains d ON d.id = k.domain_id
   WHERE k.domain_id = $1 AND k.id = ANY($2) ORDER BY k.algorithm DESC`;

/** The private keys of sending domains, decrypted once and kept as KeyObjects: parsing a PEM takes four times as long. */
@Injectable()
export class DomainKeys {
  /** Least recently used first. For each domain only the keys in use; replaced ones are dropped. */
  private readonly openedKeys = new Map<string, OpenKeys>();
  private readonly keysInUse: TtlCache<KeysInUse>;

  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
  ) {
    this.keysInUse = new TtlCache({
      load: async (id) => (await database.query<KeysInUse>({ ...FIND_KEYS_IN_USE, values: [id] })).rows.at(0) ?? null,
      ttlMs: CACHE_MS,
      maxEntries: CACHED_DOMAINS,
    });
  }

  /**
   * The keys that sign for this domain: RSA, and Ed25519 if its optional record is verified or the operator vouches for
   * the domain. Cached for less than a second.
   * @throws when the domain does not exist, or its keys cannot be decrypted with this MASTER_KEY; mail is never unsigned
   */
  async signingKeys(domainId: string): Promise<DkimKey[]> {
    const use = await this.keysInUse.get(domainId);
    if (use === null || use.keys.length === 0) {
      this.openedKeys.delete(domainId);
      this.keysInUse.delete(domainId);
      throw new Error(`there is no domain ${domainId} to sign for`);
    }
    return this.opened(domainId, use.keys);
  }

  private async opened(domainId: string, keys: string[]): Promise<DkimKey[]> {
    const known = this.openedKeys.get(domainId);
    const open = known && haveSameIds(known.keys, keys) ? known : { keys, opened: this.load(domainId, keys) };
    this.openedKeys.delete(domainId);
    this.openedKeys.set(domainId, open);
    for (const oldest of this.openedKeys.keys()) {
      if (this.openedKeys.size <= CACHED_DOMAINS) break;
      this.openedKeys.delete(oldest);
    }
    try {
      return await open.opened;
    } catch (error) {
      if (this.openedKeys.get(domainId) === open) this.openedKeys.delete(domainId);
      throw error;
    }
  }

  private async load(domainId: string, keys: string[]): Promise<DkimKey[]> {
    const { rows } = await this.database.query<KeyRow>(LOAD_KEYS, [domainId, keys]);
    if (rows.length < keys.length) throw new Error(`there is no domain ${domainId} to sign for`);
    return rows.map(({ id, name, algorithm, selector, sealed }) => ({
      domain: name,
      selector,
      algorithm: `${algorithm}-sha256`,
      privateKey: createPrivateKey(this.secretBox.open(sealed, secretContext(domainId, id))),
    }));
  }
}

const haveSameIds = (some: string[], others: string[]): boolean =>
  some.length === others.length && some.every((id, i) => id === others[i]);
