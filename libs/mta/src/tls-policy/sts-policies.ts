import type { PolicyFault } from './host-policy.js';
import { readStsPolicy, stsId } from './sts-policy.js';
import type { StsPolicy, StsReading } from './sts-policy.js';

/** A policy as it was fetched. */
export interface KeptStsPolicy {
  /** Of the TXT record under which it was fetched. */
  id: string;
  policy: StsPolicy;
  fetchedAt: Date;
}

/** Where policies outlive the process, and where other processes find them. */
export interface StsStore {
  /** Null: none is known that has not run out. */
  find(domain: string): Promise<KeptStsPolicy | null>;
  keep(domain: string, kept: KeptStsPolicy): Promise<void>;
}

/**
 * How a policy file is fetched (RFC 8461 §3.3). `certificate`: the host did not prove its name; `failed`: anything else.
 * At most one minute and 64 kB, no redirect, text/plain, status 200.
 */
export type StsAnswer = { kind: 'fetched'; text: string } | { kind: 'certificate' | 'failed'; reason: string };

export interface StsOptions {
  store: StsStore;
  /** Gets `https://<host>/.well-known/mta-sts.txt`; must not reject. */
  fetch: (host: string) => Promise<StsAnswer>;
}

/** What is known of a domain's wish. `fault`: it has or had one, and something is wrong with it. */
export interface StsFinding {
  policy: StsPolicy | null;
  fault: PolicyFault | null;
}

/** Texts at a name; rejects when DNS did not say. */
export type TextLookup = (name: string) => Promise<string[]>;

export interface StsServices extends StsOptions {
  texts: TextLookup;
  log: (event: object) => void;
}

/** How long nothing is asked about a domain after it was looked at; RFC 8461 §3.3 and §5.1 leave it to the sender. */
const LOOK_AGAIN_MS = 300_000;
/** A policy that nobody changed is fetched again after so long, or half its life, so that it never runs out in use. */
const REFRESH_MS = 86_400_000;
const MAX_DOMAINS = 10_000;

interface Looked {
  finding: Promise<StsFinding>;
  /** On the clock of `performance.now()`. */
  until: number;
}

/**
 * MTA-STS policies by domain (RFC 8461): a text in DNS says that there is one and which, HTTPS says what it is, and a
 * policy once fetched holds until its `max_age` is over whatever happens to DNS or the web server in between.
 */
export class StsPolicies {
  readonly #looked = new Map<string, Looked>();

  constructor(private readonly services: StsServices) {}

  /** Never rejects. Equal questions asked at once are one. */
  find(domain: string): Promise<StsFinding> {
    const looked = this.#looked.get(domain);
    if (looked !== undefined && looked.until > performance.now()) return looked.finding;
    this.#looked.delete(domain);
    if (this.#looked.size >= MAX_DOMAINS)
      for (const oldest of [...this.#looked.keys()].slice(0, 100)) this.#looked.delete(oldest);
    const finding = this.#look(domain);
    this.#looked.set(domain, { finding, until: performance.now() + LOOK_AGAIN_MS });
    return finding;
  }

  async #look(domain: string): Promise<StsFinding> {
    const [kept, id] = await Promise.all([this.#kept(domain), this.#idOf(domain)]);
    // RFC 8461 §5.1: neither a missing record nor a missing file ends a policy that has not run out.
    if (id === null || (kept !== null && kept.id === id && isFresh(kept)))
      return { policy: kept?.policy ?? null, fault: null };
    const reading = await this.#fetch(domain);
    if (reading.kind === 'policy') {
      await this.#keep(domain, { id, policy: reading.policy, fetchedAt: new Date() });
      return { policy: reading.policy, fault: null };
    }
    this.services.log({ event: 'sts.unread', domain, text: reading.reason, kept: kept !== null });
    const { type, reason } = reading;
    return kept === null ? { policy: null, fault: { type, reason } } : { policy: kept.policy, fault: null };
  }

  async #idOf(domain: string): Promise<string | null> {
    try {
      return stsId(await this.services.texts(`_mta-sts.${domain}`));
    } catch {
      return null;
    }
  }

  async #fetch(domain: string): Promise<Extract<StsReading, { kind: 'policy' }> | ({ kind: 'lost' } & PolicyFault)> {
    const answer = await this.services.fetch(`mta-sts.${domain}`);
    if (answer.kind === 'certificate') return { kind: 'lost', type: 'sts-webpki-invalid', reason: answer.reason };
    if (answer.kind !== 'fetched') return { kind: 'lost', type: 'sts-policy-fetch-error', reason: answer.reason };
    const reading = readStsPolicy(answer.text);
    return reading.kind === 'policy' ? reading : { kind: 'lost', type: 'sts-policy-invalid', reason: reading.reason };
  }

  async #kept(domain: string): Promise<KeptStsPolicy | null> {
    try {
      return await this.services.store.find(domain);
    } catch (error) {
      this.services.log({ event: 'sts.store_failed', domain, text: String(error) });
      return null;
    }
  }

  async #keep(domain: string, kept: KeptStsPolicy): Promise<void> {
    try {
      await this.services.store.keep(domain, kept);
    } catch (error) {
      this.services.log({ event: 'sts.store_failed', domain, text: String(error) });
    }
  }
}

function isFresh({ policy, fetchedAt }: KeptStsPolicy): boolean {
  const halfLife = (policy.maxAgeSeconds * 1000) / 2;
  return Date.now() < fetchedAt.getTime() + Math.min(REFRESH_MS, halfLife);
}
