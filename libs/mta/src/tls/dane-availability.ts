import { DnssecClient, type TrackQuery } from '#libs/dns';
import { DaneLookup } from './dane-lookup.js';
import type { DaneFinding } from './dane-lookup.js';

export interface DaneState {
  on: boolean;
  /** A sentence for the operator. */
  text: string;
}

export interface DaneSettings {
  /** `auto`: on if the first name server can be trusted to validate. */
  mode: 'auto' | 'off';
  /** The servers of DNS_SERVERS; empty: those of the system. */
  servers: readonly string[];
  mxPort: number;
  timeoutMs: number;
  track?: TrackQuery;
  /** Called with the first state and with each change. */
  onState: (state: DaneState) => void;
}

/** How often a resolver that does not validate is probed again. */
const PROBE_INTERVAL_MS = 60_000;
const NONE: DaneFinding = { kind: 'none' };

/** DANE if DNSSEC can be trusted. Otherwise no query is sent per message. */
export class DaneAvailability {
  private readonly resolver: { dns: DnssecClient; lookup: DaneLookup } | null = null;
  private on = false;
  private reported = '';
  private probing: Promise<void> | null = null;
  private probeAfter = 0;

  constructor(private readonly settings: DaneSettings) {
    const { mode, servers, timeoutMs, mxPort, track } = settings;
    const dns = new DnssecClient(servers, timeoutMs, track);
    const reason = mode === 'off' ? 'it is switched off' : dns.untrustedReason;
    if (reason !== null) {
      this.report(false, reason);
      return;
    }
    this.resolver = { dns, lookup: new DaneLookup(dns, mxPort) };
    this.probing = this.probe();
  }

  /** Never rejects. */
  async find(domain: string, mxHost: string, implicit: boolean): Promise<DaneFinding> {
    if (this.resolver === null) return NONE;
    if (!this.on && this.probing === null && performance.now() >= this.probeAfter) this.probing = this.probe();
    if (this.probing !== null) await this.probing;
    return this.on ? this.resolver.lookup.find(domain, mxHost, implicit) : NONE;
  }

  /** Once DANE is on it stays on. Later failures defer messages, because an attacker could otherwise switch it off. */
  private async probe(): Promise<void> {
    if (this.resolver === null) return;
    const { validates, text } = await this.resolver.dns.probe();
    this.probing = null;
    this.probeAfter = performance.now() + PROBE_INTERVAL_MS;
    this.report(validates, text);
  }

  private report(on: boolean, clause: string): void {
    this.on = on;
    const text = `DANE is ${on ? 'on' : 'off'}: ${clause}.`;
    if (this.reported !== text) this.settings.onState({ on, text });
    this.reported = text;
  }
}

/** Whether DANE would be on with these settings; probes once. Never rejects; takes two times `timeoutMs` at most. */
export function daneState(settings: Omit<DaneSettings, 'onState'>): Promise<DaneState> {
  return new Promise((resolve) => new DaneAvailability({ ...settings, onState: resolve }));
}
