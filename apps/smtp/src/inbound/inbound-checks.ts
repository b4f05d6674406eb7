import type { Mailbox } from '#libs/mime';
import { SmtpReply } from '../server/smtp-reply.js';

/** Enough for a hundred Received fields of any real length. */
const MAX_HEADER_OCTETS = 256 * 1024;
const BLANK_LINE = /\r?\n\r?\n/;
/** Source routes in the local part: "user%elsewhere@here", "elsewhere!user@here". */
const ROUTE = /[%!]/;

/**
 * Number of `Received` fields, however broken the rest of the header is, since mail loops must be detected in any case
 * (RFC 5321 §6.3).
 */
export function countHops(message: Buffer): number {
  const header = message.toString('latin1', 0, MAX_HEADER_OCTETS);
  const end = header.search(BLANK_LINE);
  return (end < 0 ? header : header.slice(0, end)).match(/^received:/gim)?.length ?? 0;
}

/** The reply to a recipient for which no mail is accepted: it does not exist here, or belongs to another domain. */
export function recipientRefusal({ address }: Mailbox, serviceDomain: string): SmtpReply {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  // A bounce address with a wrong token gets the same reply as any other mailbox that does not exist.
  const isLocal = domain === serviceDomain || domain === `bounces.${serviceDomain}`;
  return isLocal && !ROUTE.test(address.slice(0, at))
    ? new SmtpReply(550, '5.1.1 There is no such mailbox here')
    : new SmtpReply(550, '5.7.1 Mail for this address is not relayed');
}
