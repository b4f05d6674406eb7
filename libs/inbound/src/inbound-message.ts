import type { TransactionRef } from '#libs/emails';
import type { ReportOrigin } from './authentication/report-authenticator.js';

/** Role mailboxes of the service domain (RFC 2142). */
export const INBOUND_ROLES = ['abuse', 'dmarc', 'fbl', 'postmaster', 'tlsrpt'] as const;
export type InboundRole = (typeof INBOUND_ROLES)[number];

/** A local mailbox that an envelope recipient of an inbound message leads to. */
export type InboundMailbox = { kind: 'return_path'; ref: TransactionRef } | { kind: 'role'; role: InboundRole };

/** One message received on the inbound port, with its envelope. */
export interface InboundMessage extends ReportOrigin {
  rcptTo: readonly string[];
  /** One per entry of `rcptTo`, in the same order. */
  mailboxes: readonly InboundMailbox[];
}
