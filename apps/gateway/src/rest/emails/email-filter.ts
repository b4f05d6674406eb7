import type { EmailFilter } from '#libs/emails';
import { domainOf, normaliseAddress } from '#libs/mime';
import { instantOf } from '../validation/query-rules.js';
import type { EmailsQuery } from './emails.dto.js';

/** The filter for the validated parameters of a list of emails. */
export function toEmailFilter(query: EmailsQuery): EmailFilter {
  const { status, last_event, to, from, recipient_domain, domain, subject, tags, created_after, created_before } =
    query;
  return {
    status,
    lastEvent: last_event,
    to: to === undefined ? undefined : normaliseAddress(to),
    from: from === undefined ? undefined : normaliseAddress(from),
    recipientDomain: recipient_domain === undefined ? undefined : domainOf(`@${recipient_domain}`),
    waiting: query.waiting === 'true',
    domain,
    subject,
    search: query.search?.trim(),
    tags,
    createdAfter: instantOf(created_after),
    createdBefore: instantOf(created_before),
    scheduled: query.scheduled === 'true',
  };
}
