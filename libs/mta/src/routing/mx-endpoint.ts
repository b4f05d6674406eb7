import net from 'node:net';
import ipaddr from 'ipaddr.js';
import type { HostPolicy } from '../tls/host-policy.js';
import { requirementKey } from '../tls/tls-requirement.js';
import type { TlsRequirement } from '../tls/tls-requirement.js';

/** One of our own addresses, and the name in its PTR record. */
export interface SourceAddress {
  address: string;
  heloName: string;
}

/** An address to connect to, with the properties of the connection. */
export interface MxEndpoint {
  /** Connections with equal keys are interchangeable. */
  key: string;
  /** Name in logs, outcomes and SNI: the MX name or the smarthost. */
  host: string;
  /** An IP address. The name was resolved and checked before, so it cannot change in between (DNS rebinding). */
  address: string;
  port: number;
  /** `opportunistic`: STARTTLS if offered. `implicit`: TLS from the first byte. `none`: plain text. */
  tls: 'opportunistic' | 'implicit' | 'none';
  /** The requirement that the connection must meet before a message is sent. */
  requirement: TlsRequirement;
  /** The policy that gives `requirement`. */
  policy: HostPolicy;
  /** Credentials of a smarthost. */
  login: { user: string; password: string } | null;
  /** Name of the mailbox provider of the host; null if it is none of the known ones. */
  provider: string | null;
  /** Limit of connections of the provider per source address, over all of its hosts; null: none. */
  connections: number | null;
  /** Messages after which a connection is closed; null: the default. */
  mailsPerConnection: number | null;
  /** Our source address and its EHLO name; null: the system's choice. */
  source: SourceAddress | null;
}

/** Adds the key: address, port, TLS requirement and source. */
export function toEndpoint(place: Omit<MxEndpoint, 'key'>): MxEndpoint {
  const { address, port, tls, requirement, host, source } = place;
  const speaker = source === null ? '' : ` ${source.address} ${source.heloName}`;
  return { ...place, key: `${address} ${port} ${tls} ${requirementKey(requirement, host)}${speaker}` };
}

/** The same endpoint with this source address; null if that is of the other address family. */
export function withSource(endpoint: MxEndpoint, source: SourceAddress | null): MxEndpoint | null {
  if (source === null) return endpoint;
  return net.isIP(endpoint.address) === net.isIP(source.address) ? toEndpoint({ ...endpoint, source }) : null;
}

/**
 * The same endpoint for a message whose sender has TLS `enforced`: requires a verified certificate, unless the policy
 * of the receiver already does. A connection to a smarthost on this machine cannot be intercepted.
 */
export function withVerifiedTls(endpoint: MxEndpoint): MxEndpoint {
  const { kind } = endpoint.requirement;
  if (kind === 'webpki' || kind === 'tlsa' || isLoopbackSmarthost(endpoint)) return endpoint;
  return toEndpoint({ ...endpoint, requirement: { kind: 'webpki' }, policy: { ...endpoint.policy, name: 'enforced' } });
}

/** The same endpoint for a message that must be sent over any connection: a report about TLS itself (RFC 8460 §3). */
export function withOptionalTls(endpoint: MxEndpoint): MxEndpoint {
  const isFree = endpoint.policy.published === null || endpoint.requirement.kind === 'none';
  return isFree ? endpoint : toEndpoint({ ...endpoint, requirement: { kind: 'none' } });
}

/** The same endpoint without TLS, for endpoints without a requirement. */
export function withoutTls(endpoint: MxEndpoint): MxEndpoint {
  return toEndpoint({ ...endpoint, tls: 'none' });
}

/** TLS is preferred, but not required. */
export function allowsPlaintext(endpoint: MxEndpoint): boolean {
  return endpoint.tls === 'opportunistic' && endpoint.requirement.kind === 'none';
}

function isLoopbackSmarthost({ policy, address }: MxEndpoint): boolean {
  return policy.published === null && ipaddr.parse(address).range() === 'loopback';
}
