import { RecentAnswers, SecretBox } from '#libs/kernel';
import type { DkimKey } from '#libs/mime';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { createPrivateKey } from 'node:crypto';
import type { KeyAlgorithm } from './key-algorithm.js';
import { sealedUnder } from './sealed-under.js';

const CACHED_DOMAINS = 2_000;
const USE_MS = 500;

interface KeyRow {
  id: string;
  name: string;
  algorithm: KeyAlgorithm;
  selector: string;
  sealed: Buffer;
}

/** The ids of the keys that sign. */
interface Use {
  keys: string[];
}

interface OpenKeys extends Use {
  opened: Promise<DkimKey[]>;
}

const USE = {
  name: 'domains-key-use',
  text: `SELECT array(SELECT k.id FROM domain_keys k
                       WHERE k.domain_id = d.id AND k.state = 'active'
                         AND (k.algorithm = 'rsa' OR d.vouched
                              OR d.findings @> '[{"slot": "dkim_ed25519", "status": "verified"}]')
                       ORDER BY k.algorithm DESC) AS keys
           FROM domains d WHERE d.id = $1`,
};

const LOAD = `
  SELECT k.id, d.name, k.algorithm, k.selector, k.private_sealed AS sealed
    FROM domain_keys k JOIN domains d ON d.id = k.domain_id
   WHERE k.domain_id = $1 AND k.id = ANY($2) ORDER BY k.algorithm DESC`;

/** The private keys of sending domains, opened once and kept as KeyObjects: parsing a PEM per mail costs four times more. */
@Injectable()
export class DomainKeys {
  /** The least recently used first. Of each domain only the keys in use: one that was replaced is not kept. */
  private readonly kept = new Map<string, OpenKeys>();
  private readonly uses: RecentAnswers<Use>;

  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
  ) {
    this.uses = new RecentAnswers({
      ask: async (id) => (await database.query<Use>({ ...USE, values: [id] })).rows.at(0) ?? null,
      ttlMs: USE_MS,
      limit: CACHED_DOMAINS,
    });
  }

  /**
   * The keys that sign for this domain: RSA, and Ed25519 where its optional record is verified or the operator vouches
   * for the domain. What changed counts within a second.
   * @throws when the domain is gone, or its keys do not open under this MASTER_KEY. Never unsigned by accident.
   */
  async signingKeys(domainId: string): Promise<DkimKey[]> {
    const use = await this.uses.get(domainId);
    if (use === null || use.keys.length === 0) {
      this.kept.delete(domainId);
      this.uses.forget(domainId);
      throw new Error(`there is no domain ${domainId} to sign for`);
    }
    return this.opened(domainId, use.keys);
  }

  private async opened(domainId: string, keys: string[]): Promise<DkimKey[]> {
    const known = this.kept.get(domainId);
    const open = known && isSame(known.keys, keys) ? known : { keys, opened: this.load(domainId, keys) };
    this.kept.delete(domainId);
    this.kept.set(domainId, open);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= CACHED_DOMAINS) break;
      this.kept.delete(oldest);
    }
    try {
      return await open.opened;
    } catch (error) {
      if (this.kept.get(domainId) === open) this.kept.delete(domainId);
      throw error;
    }
  }

  private async load(domainId: string, keys: string[]): Promise<DkimKey[]> {
    const { rows } = await this.database.query<KeyRow>(LOAD, [domainId, keys]);
    if (rows.length < keys.length) throw new Error(`there is no domain ${domainId} to sign for`);
    return rows.map(({ id, name, algorithm, selector, sealed }) => ({
      domain: name,
      selector,
      algorithm: `${algorithm}-sha256`,
      privateKey: createPrivateKey(this.secretBox.open(sealed, sealedUnder(domainId, id))),
    }));
  }
}

const isSame = (some: string[], others: string[]): boolean =>
  some.length === others.length && some.every((id, i) => id === others[i]);
