import { RecentAnswers, SecretBox } from '#libs/kernel';
import type { DkimKey } from '#libs/mime';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { createPrivateKey } from 'node:crypto';
import { sealedUnder } from './sealed-under.js';
import { ed25519Selector } from './selector.js';

const CACHED_DOMAINS = 2_000;
const USE_MS = 500;

interface KeyRow {
  name: string;
  selector: string;
  rsa_private_sealed: Buffer;
  ed25519_private_sealed: Buffer;
}

interface Pair {
  rsa: DkimKey;
  ed25519: DkimKey;
}

/** Which keys of a domain receivers can find. */
interface Use {
  both: boolean;
}

const USE = {
  name: 'domains-key-use',
  text: `SELECT vouched OR findings @> '[{"slot": "dkim_ed25519", "status": "verified"}]' AS both
           FROM domains WHERE id = $1`,
};

/** The private keys of sending domains, opened once and kept as KeyObjects: parsing a PEM per mail costs four times more. */
@Injectable()
export class DomainKeys {
  /** The least recently used first. An entry never changes its keys, so nothing in here gets old. */
  private readonly kept = new Map<string, Promise<Pair>>();
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
    if (use === null) {
      this.kept.delete(domainId);
      this.uses.forget(domainId);
      throw new Error(`there is no domain ${domainId} to sign for`);
    }
    const { rsa, ed25519 } = await this.pair(domainId);
    return use.both ? [rsa, ed25519] : [rsa];
  }

  private async pair(domainId: string): Promise<Pair> {
    const pair = this.kept.get(domainId) ?? this.load(domainId);
    this.kept.delete(domainId);
    this.kept.set(domainId, pair);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= CACHED_DOMAINS) break;
      this.kept.delete(oldest);
    }
    try {
      return await pair;
    } catch (error) {
      if (this.kept.get(domainId) === pair) this.kept.delete(domainId);
      throw error;
    }
  }

  private async load(domainId: string): Promise<Pair> {
    const { rows } = await this.database.query<KeyRow>(
      'SELECT name, selector, rsa_private_sealed, ed25519_private_sealed FROM domains WHERE id = $1',
      [domainId],
    );
    if (rows.length === 0) throw new Error(`there is no domain ${domainId} to sign for`);
    const [row] = rows;
    const open = (sealed: Buffer, algorithm: 'rsa' | 'ed25519') =>
      createPrivateKey(this.secretBox.open(sealed, sealedUnder(domainId, algorithm)));
    return {
      rsa: {
        domain: row.name,
        selector: row.selector,
        algorithm: 'rsa-sha256',
        privateKey: open(row.rsa_private_sealed, 'rsa'),
      },
      ed25519: {
        domain: row.name,
        selector: ed25519Selector(row.selector),
        algorithm: 'ed25519-sha256',
        privateKey: open(row.ed25519_private_sealed, 'ed25519'),
      },
    };
  }
}
