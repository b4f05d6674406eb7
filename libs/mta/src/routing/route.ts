import type { BounceClass, ServerReply, TlsPolicyName } from '../delivery-outcome.js';
import type { TlsResult } from '../tls/tls-result.js';
import type { MxEndpoint } from './mx-endpoint.js';

/** The queue of a recipient domain. */
export interface Destination {
  /** `google`, or `domain:example.org` without a known provider; `smarthost`, `capture`; `penalty:` before it for the penalty pool. */
  queue: string;
  /** Name of the mailbox provider, by the suffix of its MX. */
  provider: string | null;
}

/** The route for the messages of a domain, resolved once per attempt. */
export type Route =
  /** `expiresAt`: until when it may be used again, on the clock of `performance.now()`. */
  | { kind: 'endpoints'; endpoints: MxEndpoint[]; expiresAt: number }
  | {
      kind: 'deferred' | 'bounced';
      class: BounceClass;
      reply: ServerReply;
      /** The policy that no host meets. */
      policy?: TlsPolicyName;
      /** TLS results of the hosts that the policy excludes (RFC 8460). */
      tlsResults?: TlsResult[];
    }
  /** No name server answers, so nothing was tried. */
  | { kind: 'dns_unavailable' };

/** Finds routes. */
export interface Router {
  route(domain: string): Promise<Route>;
  /** Never rejects; null: no name server answers. */
  destination(domain: string): Promise<Destination | null>;
  /** A sentence while no name server answers, otherwise null. */
  readonly outage: string | null;
  /** Cancels running lookups. */
  cancel(): void;
}
