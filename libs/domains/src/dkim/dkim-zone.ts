import { dkim } from '#libs/mime';
import type { Database } from '#libs/persistence';
import { aliasTarget, type KeyAlgorithm } from './selector.js';

/** A TXT record of the zone `dkim.<service>`, to which the aliases of owners point. */
export interface ZoneRecord {
  name: string;
  value: string;
}

interface PublicKeyRow {
  domainId: string;
  id: string;
  algorithm: KeyAlgorithm;
  selector: string;
  publicKey: string;
}

const PAGE = 1_000;
const NEXT = `
  SELECT domain_id AS "domainId", id, algorithm, selector, public_key AS "publicKey" FROM domain_keys
   WHERE (domain_id, id) > ($1, $2) ORDER BY domain_id, id LIMIT ${PAGE}`;

/** Seconds. The keys of a name change at least seven days apart, so caches hold no old ones. */
const TTL = 3_600;
/** RFC 1035 §3.3. */
const STRING_OCTETS = 255;

/** The records that the operator publishes under `dkim.<service>`: all keys of all domains of all accounts. */
export class DkimZone {
  constructor(
    private readonly database: Database,
    private readonly serviceDomain: string,
  ) {}

  /** All records, or the first ones, by domain. */
  async records(limit = Infinity): Promise<ZoneRecord[]> {
    const records: ZoneRecord[] = [];
    for (let last: PublicKeyRow | undefined; ;) {
      const { rows } = await this.database.query<PublicKeyRow>(NEXT, [last?.domainId ?? '', last?.id ?? '']);
      records.push(...rows.map((row) => this.recordOf(row)));
      if (rows.length < PAGE || records.length >= limit) return records.slice(0, limit);
      last = rows.at(-1);
    }
  }

  /** A record as a line of a zone file (RFC 1035 §5.1). */
  static line({ name, value }: ZoneRecord): string {
    const strings = value.match(new RegExp(`.{1,${STRING_OCTETS}}`, 'g')) ?? [];
    return `${name}. ${TTL} IN TXT ${strings.map((text) => `"${text}"`).join(' ')}`;
  }

  private recordOf({ domainId, algorithm, selector, publicKey }: PublicKeyRow): ZoneRecord {
    return {
      name: aliasTarget(domainId, selector, this.serviceDomain),
      value: dkim.recordValue(`${algorithm}-sha256`, publicKey),
    };
  }
}
