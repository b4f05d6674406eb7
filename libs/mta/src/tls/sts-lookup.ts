import { TtlMap, databaseClock } from '#libs/kernel';
import type { PolicyFault } from './host-policy.js';
import { readStsPolicy, stsId } from './sts-policy.js';
import type { StsPolicy, StsReading } from './sts-policy.js';

/** A policy as it was fetched. */
export interface StoredStsPolicy {
  /** The id of the TXT record at the time of the fetch. */
  id: string;
  policy: StsPolicy;
  fetchedAt: Date;
}

/** Stores policies for other processes and across restarts. */
export interface StsStore {
  /** Null: there is none that is still valid. */
  find(domain: string): Promise<StoredStsPolicy | null>;
  keep(domain: string, kept: StoredStsPolicy): Promise<void>;
}

/**
 * The result of fetching a policy file (RFC 8461 §3.3). `certificate`: the certificate of the host could not be
 * verified. `failed`: any other error. Limits: one minute, 64 kB, no redirect, text/plain, status 200.
 */
export type StsFetchResult = { kind: 'fetched'; text: string } | { kind: 'certificate' | 'failed'; reason: string };

export interface StsOptions {
  store: StsStore;
  /** Gets `https://<host>/.well-known/mta-sts.txt`; must not reject. */
  fetch: (host: string) => Promise<StsFetchResult>;
}

/** The policy of a domain. `fault`: the domain publishes a policy that could not be read. */
export interface StsFinding {
  policy: StsPolicy | null;
  fault: PolicyFault | null;
}

/** The TXT records of a name; rejects when there is no answer. */
export type TxtLookup = (name: string) => Promise<string[]>;

export interface StsServices extends StsOptions {
  texts: TxtLookup;
  log: (event: object) => void;
}

/** How long a result is used without another query. RFC 8461 §3.3 and §5.1 leave it to the sender. */
const RESULT_TTL_MS = 300_000;
/** An unchanged policy is fetched again after this time or half its lifetime, so that it does not expire in use. */
const REFRESH_MS = 86_400_000;
const MAX_DOMAINS = 10_000;

/**
 * MTA-STS policies by domain (RFC 8461). A TXT record has the id of the policy, HTTPS has its content, and a fetched
 * policy is valid until its `max_age` ends, even if DNS or the web server fail meanwhile.
 */
export class StsLookup {
  private readonly cache = new TtlMap<string, Promise<StsFinding>>(MAX_DOMAINS);

  constructor(private readonly services: StsServices) {}

  /** Never rejects. Equal concurrent lookups are made once. */
  find(domain: string): Promise<StsFinding> {
    const cached = this.cache.get(domain);
    if (cached !== undefined) return cached;
    const lookup = this.lookUp(domain);
    const finding = lookup.then(({ policy, fault }) => ({ policy, fault }));
    this.cache.set(domain, finding, RESULT_TTL_MS);
    void lookup.then(({ endsAt }) => this.limit(domain, { finding, endsAt }));
    return finding;
  }

  /** A result is not used beyond the lifetime of its policy. */
  private limit(domain: string, { finding, endsAt }: { finding: Promise<StsFinding>; endsAt: number | null }): void {
    const remaining = endsAt === null ? RESULT_TTL_MS : endsAt - databaseClock.now();
    if (remaining < RESULT_TTL_MS && this.cache.get(domain) === finding)
      this.cache.set(domain, finding, Math.max(remaining, 0));
  }

  private async lookUp(domain: string): Promise<StsFinding & { endsAt: number | null }> {
    const [stored, id] = await Promise.all([this.findStored(domain), this.idOf(domain)]);
    // RFC 8461 §5.1: neither a missing record nor a missing file ends a policy that is still valid.
    if (id === null || (stored !== null && stored.id === id && isFresh(stored))) return found(stored);
    const reading = await this.fetch(domain);
    if (reading.kind === 'policy') {
      const fetched = { id, policy: reading.policy, fetchedAt: databaseClock.date() };
      await this.store(domain, fetched);
      return found(fetched);
    }
    this.services.log({ event: 'sts.unread', domain, text: reading.reason, kept: stored !== null });
    const { type, reason } = reading;
    return stored === null ? { policy: null, fault: { type, reason }, endsAt: null } : found(stored);
  }

  private async idOf(domain: string): Promise<string | null> {
    try {
      return stsId(await this.services.texts(`_mta-sts.${domain}`));
    } catch {
      return null;
    }
  }

  private async fetch(
    domain: string,
  ): Promise<Extract<StsReading, { kind: 'policy' }> | ({ kind: 'lost' } & PolicyFault)> {
    const answer = await this.services.fetch(`mta-sts.${domain}`);
    if (answer.kind === 'certificate') return { kind: 'lost', type: 'sts-webpki-invalid', reason: answer.reason };
    if (answer.kind !== 'fetched') return { kind: 'lost', type: 'sts-policy-fetch-error', reason: answer.reason };
    const reading = readStsPolicy(answer.text);
    return reading.kind === 'policy' ? reading : { kind: 'lost', type: 'sts-policy-invalid', reason: reading.reason };
  }

  private async findStored(domain: string): Promise<StoredStsPolicy | null> {
    try {
      return await this.services.store.find(domain);
    } catch (error) {
      this.services.log({ event: 'sts.store_failed', domain, text: String(error) });
      return null;
    }
  }

  private async store(domain: string, kept: StoredStsPolicy): Promise<void> {
    try {
      await this.services.store.keep(domain, kept);
    } catch (error) {
      this.services.log({ event: 'sts.store_failed', domain, text: String(error) });
    }
  }
}

const found = (stored: StoredStsPolicy | null): StsFinding & { endsAt: number | null } => ({
  policy: stored?.policy ?? null,
  fault: null,
  endsAt: stored === null ? null : endOf(stored),
});

const endOf = ({ policy, fetchedAt }: StoredStsPolicy): number => fetchedAt.getTime() + policy.maxAgeSeconds * 1000;

function isFresh({ policy, fetchedAt }: StoredStsPolicy): boolean {
  const halfLife = (policy.maxAgeSeconds * 1000) / 2;
  return databaseClock.now() < fetchedAt.getTime() + Math.min(REFRESH_MS, halfLife);
}
