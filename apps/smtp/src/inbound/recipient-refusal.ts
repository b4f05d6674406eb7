import type { Mailbox } from '#libs/mime';
import { SmtpReply } from '../door/smtp-reply.js';

/** Marks of a route inside the local part: "user%elsewhere@here", "elsewhere!user@here". */
const ROUTE = /[%!]/;

/** Why this well-formed address takes no mail: it is somebody else's, or nobody's here. */
export function recipientRefusal({ address }: Mailbox, serviceDomain: string): SmtpReply {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  // A bounce address with a wrong token is like any other that does not exist; nothing tells them apart.
  const isOurs = domain === serviceDomain || domain === `bounces.${serviceDomain}`;
  return isOurs && !ROUTE.test(address.slice(0, at))
    ? new SmtpReply(550, '5.1.1 There is no such mailbox here')
    : new SmtpReply(550, '5.7.1 Mail for this address is not relayed');
}
