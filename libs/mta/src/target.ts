import net from 'node:net';
import ipaddr from 'ipaddr.js';
import type { SourceAddress } from './courier.js';
import type { HostPolicy } from './tls-policy/host-policy.js';
import { proofKey } from './tls-policy/proof.js';
import type { Proof } from './tls-policy/proof.js';

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
  /** What the line must prove before a mail goes over it. */
  proof: Proof;
  /** The rule from which `proof` follows. */
  policy: HostPolicy;
  /** Credentials of a smarthost. */
  login: { user: string; password: string } | null;
  /** Name of the mailbox provider that the host belongs to; null for none. */
  provider: string | null;
  /** Connections that the provider takes from one source, over all of its hosts; null: nobody counts. */
  connections: number | null;
  /** A connection ends after so many mails; null: as many as is usual. */
  mailsPerConnection: number | null;
  /** Which of our addresses speaks, and under which name; null: the system's choice. */
  source: SourceAddress | null;
}

/** A target with its key: address, port, what TLS has to prove, and who speaks. */
export function toTarget(place: Omit<Target, 'key'>): Target {
  const { address, port, tls, proof, host, source } = place;
  const speaker = source === null ? '' : ` ${source.address} ${source.heloName}`;
  return { ...place, key: `${address} ${port} ${tls} ${proofKey(proof, host)}${speaker}` };
}

/** The same place, spoken to from `source`; null when that address is of the other family. */
export function fromSource(target: Target, source: SourceAddress | null): Target | null {
  if (source === null) return target;
  return net.isIP(target.address) === net.isIP(source.address) ? toTarget({ ...target, source }) : null;
}

/**
 * The same place for a mail whose sender wants its TLS `enforced`: what a policy of the receiver leaves open is asked for.
 * A smarthost on this machine is no line that anybody could listen on.
 */
export function enforced(target: Target): Target {
  const { kind } = target.proof;
  if (kind === 'webpki' || kind === 'tlsa' || isLoopbackSmarthost(target)) return target;
  return toTarget({ ...target, proof: { kind: 'webpki' }, policy: { ...target.policy, name: 'enforced' } });
}

/** The same MX for a mail that must arrive however the line is: a report about TLS itself (RFC 8460 §3). */
export function unconditional(target: Target): Target {
  const isFree = target.policy.published === null || target.proof.kind === 'none';
  return isFree ? target : toTarget({ ...target, proof: { kind: 'none' } });
}

/** The same place without TLS; only for targets that need to prove nothing. */
export function inTheClear(target: Target): Target {
  return toTarget({ ...target, tls: 'none' });
}

/** TLS is wanted, but not at the price of the mail. */
export function mayGoInTheClear(target: Target): boolean {
  return target.tls === 'opportunistic' && target.proof.kind === 'none';
}

function isLoopbackSmarthost({ policy, address }: Target): boolean {
  return policy.published === null && ipaddr.parse(address).range() === 'loopback';
}
