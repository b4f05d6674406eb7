import dns from 'node:dns';
import ipaddr from 'ipaddr.js';
import { DaneLookup } from './dane.js';
import type { DaneFinding } from './dane.js';
import { DnssecClient } from './dnssec-client.js';
import type { AskThrough } from './dnssec-client.js';
import { dnsPlace } from './dns-exchange.js';

export interface DaneState {
  on: boolean;
  /** A sentence for the operator. */
  text: string;
}

export interface DaneSettings {
  /** `auto`: on where the first name server can be believed. */
  mode: 'auto' | 'off';
  /** As DNS_SERVERS; empty: the system's. */
  servers: readonly string[];
  mxPort: number;
  timeoutMs: number;
  /** Through which every question goes; rejects without asking where nobody would answer. */
  ask?: AskThrough;
  /** Told at first, and when it changes. */
  onState: (state: DaneState) => void;
}

/** The root zone is signed, and every resolver that validates can prove it. */
const SIGNED_NAME = '.';
/** How often a resolver that could not be believed is looked at again. */
const LOOK_AGAIN_MS = 60_000;
/**
 * Forwarders on loopback addresses that hand on the AD bit of whoever is behind them, unchecked: Docker's, and the stub of
 * systemd-resolved, which passes questions with the DO bit through.
 */
const FORWARDERS = new Set(['127.0.0.11', '127.0.0.53', '127.0.0.54']);
const NONE: DaneFinding = { kind: 'none' };

/**
 * DANE where it can be trusted: the AD bit is worth as much as the resolver that sets it and the way from there, so it must
 * be on this machine (RFC 7672 §2.1.1). Asks nothing per mail while it is off.
 */
export class DaneSwitch {
  readonly #resolver: { server: string; dns: DnssecClient; lookup: DaneLookup } | null = null;
  #on = false;
  #told = '';
  #probing: Promise<void> | null = null;
  #probeAfter = 0;

  constructor(private readonly settings: DaneSettings) {
    const { mode, servers, timeoutMs, mxPort } = settings;
    const server = servers[0] ?? dns.getServers()[0] ?? '';
    const refusal = mode === 'off' ? 'it is switched off' : refusalOf(server);
    if (refusal !== null) {
      this.#tell(false, `DANE is off: ${refusal}.`);
      return;
    }
    const client = new DnssecClient(dnsPlace(server), timeoutMs, settings.ask);
    this.#resolver = { server, dns: client, lookup: new DaneLookup(client, mxPort) };
    this.#probing = this.#probe();
  }

  /** Never rejects. */
  async find(domain: string, mxHost: string, implicit: boolean): Promise<DaneFinding> {
    if (this.#resolver === null) return NONE;
    if (!this.#on && this.#probing === null && performance.now() >= this.#probeAfter) this.#probing = this.#probe();
    if (this.#probing !== null) await this.#probing;
    return this.#on ? this.#resolver.lookup.find(domain, mxHost, implicit) : NONE;
  }

  /** Once it validates it is believed for good: what fails later defers, or an attacker could switch DANE off. */
  async #probe(): Promise<void> {
    if (this.#resolver === null) return;
    const { server, dns: client } = this.#resolver;
    const answer = await client.ask(SIGNED_NAME, 'SOA');
    this.#probing = null;
    this.#probeAfter = performance.now() + LOOK_AGAIN_MS;
    if (answer.kind === 'failed')
      this.#tell(false, `DANE is off: the resolver ${server} does not answer (${answer.reason}).`);
    else if (answer.secure) this.#tell(true, `DANE is on: the resolver ${server} checks signatures.`);
    else this.#tell(false, `DANE is off: the resolver ${server} does not check signatures (DNSSEC).`);
  }

  #tell(on: boolean, text: string): void {
    this.#on = on;
    if (this.#told !== text) this.settings.onState({ on, text });
    this.#told = text;
  }
}

/** Whether DANE would be on with these settings, found out once. Never rejects; takes two times `timeoutMs` at most. */
export function daneState(settings: Omit<DaneSettings, 'onState'>): Promise<DaneState> {
  return new Promise((resolve) => new DaneSwitch({ ...settings, onState: resolve }));
}

/** Why a name server cannot be believed, whatever it answers; null: it may be. */
function refusalOf(server: string): string | null {
  const { address } = dnsPlace(server);
  const isLocal = ipaddr.isValid(address) && ipaddr.parse(address).range() === 'loopback';
  if (!isLocal) return `the resolver ${server === '' ? '(none)' : server} is not on this machine`;
  return FORWARDERS.has(address) ? `the resolver ${server} only forwards, and does not check signatures itself` : null;
}
