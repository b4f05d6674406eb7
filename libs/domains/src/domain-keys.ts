import { SecretBox } from '#libs/kernel';
import type { DkimKey } from '#libs/mime';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import { createPrivateKey } from 'node:crypto';
import { sealedUnder } from './sealed-under.js';
import { ed25519Selector } from './selector.js';

const CACHED_DOMAINS = 2_000;

interface KeyRow {
  name: string;
  vouched: boolean;
  selector: string;
  rsa_private_sealed: Buffer;
  ed25519_private_sealed: Buffer;
}

/** The private keys of sending domains, opened once and kept as KeyObjects: parsing a PEM per mail costs four times more. */
@Injectable()
export class DomainKeys {
  /** The least recently used first. An active entry never changes its keys, so nothing in here gets old. */
  private readonly kept = new Map<string, Promise<DkimKey[]>>();

  constructor(
    private readonly database: Database,
    private readonly secretBox: SecretBox,
  ) {}

  /**
   * The keys that sign for this domain: RSA, and Ed25519 where its optional record may be relied on (vouched domains).
   * @throws when the domain is gone, or its keys do not open under this MASTER_KEY. Never unsigned by accident.
   */
  async signingKeys(domainId: string): Promise<DkimKey[]> {
    const keys = this.kept.get(domainId) ?? this.load(domainId);
    this.kept.delete(domainId);
    this.kept.set(domainId, keys);
    for (const oldest of this.kept.keys()) {
      if (this.kept.size <= CACHED_DOMAINS) break;
      this.kept.delete(oldest);
    }
    try {
      return await keys;
    } catch (error) {
      if (this.kept.get(domainId) === keys) this.kept.delete(domainId);
      throw error;
    }
  }

  private async load(domainId: string): Promise<DkimKey[]> {
    const { rows } = await this.database.query<KeyRow>(
      'SELECT name, vouched, selector, rsa_private_sealed, ed25519_private_sealed FROM domains WHERE id = $1',
      [domainId],
    );
    if (rows.length === 0) throw new Error(`there is no domain ${domainId} to sign for`);
    const [row] = rows;
    const rsa: DkimKey = {
      domain: row.name,
      selector: row.selector,
      algorithm: 'rsa-sha256',
      privateKey: createPrivateKey(this.secretBox.open(row.rsa_private_sealed, sealedUnder(domainId, 'rsa'))),
    };
    return row.vouched ? [rsa, this.ed25519Key(domainId, row)] : [rsa];
  }

  private ed25519Key(domainId: string, row: KeyRow): DkimKey {
    return {
      domain: row.name,
      selector: ed25519Selector(row.selector),
      algorithm: 'ed25519-sha256',
      privateKey: createPrivateKey(this.secretBox.open(row.ed25519_private_sealed, sealedUnder(domainId, 'ed25519'))),
    };
  }
}
