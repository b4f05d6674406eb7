import net from 'node:net';
import type { SourceAddress } from './courier.js';

/** One place to connect to. */
export interface Target {
  /** Connections to equal keys are interchangeable. */
  key: string;
  /** Name for logs, outcomes and SNI: the MX name or the smarthost. */
  host: string;
  /** An IP address; names are resolved and checked before, so nothing can be rebound in between. */
  address: string;
  port: number;
  /** `opportunistic`: STARTTLS when offered; `implicit`: TLS from the first byte; `none`: in the clear. */
  tls: 'opportunistic' | 'implicit' | 'none';
  /** `verified`: TLS is needed and the certificate must be good for `host`; `any`: whatever is there. */
  trust: 'any' | 'verified';
  /** Credentials of a smarthost. */
  login: { user: string; password: string } | null;
  /** Which of our addresses speaks, and under which name; null: the system's choice. */
  source: SourceAddress | null;
}

/** A target with its key: address, port, the wish for TLS, and who speaks. */
export function toTarget(place: Omit<Target, 'key'>): Target {
  const { address, port, tls, trust, source } = place;
  const speaker = source === null ? '' : ` ${source.address} ${source.heloName}`;
  return { ...place, key: `${address} ${port} ${tls} ${trust}${speaker}` };
}

/** The same place, spoken to from `source`; null when that address is of the other family. */
export function fromSource(target: Target, source: SourceAddress | null): Target | null {
  if (source === null) return target;
  return net.isIP(target.address) === net.isIP(source.address) ? toTarget({ ...target, source }) : null;
}
