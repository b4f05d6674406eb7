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
}

/** A target with its key: address, port and the wish for TLS. */
export function toTarget(place: Omit<Target, 'key'>): Target {
  return { ...place, key: `${place.address} ${place.port} ${place.tls} ${place.trust}` };
}
