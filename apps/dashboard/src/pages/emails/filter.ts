import { PERIOD, type Period } from '../../components/filters.tsx';
import type { EmailFilter, EmailStatus, LastEvent } from '../../graphql/generated.ts';

/** Not a status of a message, but one of its recipients. */
export const WAITING = 'waiting';

const TEXT_FILTERS = ['search', 'to', 'from', 'subject', 'domain'] as const;
export const FILTERS = [...TEXT_FILTERS, 'status', 'scheduled', 'recipient_domain', 'event', 'tag', ...PERIOD] as const;

/** The values of the filters, as in the address of the page. */
export type FilterValues = Record<(typeof FILTERS)[number], string | null>;

export function filterOf(values: FilterValues, { from, to }: Period): EmailFilter | null {
  const { status, scheduled, recipient_domain: recipientDomain, event, tag } = values;
  const filter: EmailFilter = {};
  for (const name of TEXT_FILTERS) if (values[name]) filter[name] = values[name];
  Object.assign(filter, stateOf(status));
  if (scheduled) filter.scheduled = scheduled === 'true';
  if (recipientDomain) filter.recipientDomain = recipientDomain;
  if (event) filter.lastEvent = event as LastEvent;
  if (tag?.includes(':')) filter.tags = [tagOf(tag)];
  if (from !== null) filter.createdAfter = from;
  if (to !== null) filter.createdBefore = to;
  return Object.keys(filter).length > 0 ? filter : null;
}

function stateOf(status: string | null): Pick<EmailFilter, 'status' | 'waiting'> {
  if (status === WAITING) return { waiting: true };
  return status ? { status: status as EmailStatus } : {};
}

function tagOf(text: string): { key: string; value: string } {
  const colon = text.indexOf(':');
  return { key: text.slice(0, colon).trim(), value: text.slice(colon + 1).trim() };
}

/** The page with the messages that have a recipient waiting at this domain. */
export const waitingAt = (domain: string): string =>
  `/emails?${new URLSearchParams({ status: WAITING, recipient_domain: domain }).toString()}`;
