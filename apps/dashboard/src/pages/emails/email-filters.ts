import type { NamedDomain } from '../../components/domains-field.tsx';
import { searchField, type FilterField } from '../../components/filters.tsx';
import { EMAIL_STATUSES, LAST_EVENTS } from '../../generated/constants.ts';
import { WAITING, type FilterValues } from './filter.ts';

type Field = FilterField<keyof FilterValues>;

/** Filters of `GET /emails`; a button shows the others. */
export const FIELDS: Field[] = [
  searchField('search', 'Search subjects, addresses, names and tags'),
  {
    kind: 'choice',
    name: 'status',
    label: 'Status',
    placeholder: 'Any status',
    data: [{ value: WAITING, label: 'waiting' }, ...EMAIL_STATUSES],
    w: 160,
  },
  { kind: 'period' },
];

export const moreOf = (domains: readonly NamedDomain[] = []): Field[] => [
  { kind: 'text', name: 'to', label: 'To', placeholder: 'Full address of the recipient' },
  { kind: 'text', name: 'from', label: 'From', placeholder: 'Full address of the sender' },
  { kind: 'text', name: 'subject', label: 'Subject', placeholder: 'Subject starts with …' },
  {
    kind: 'text',
    name: 'recipient_domain',
    label: 'Recipient domain',
    placeholder: 'example.com',
    problemOf: (text) => (/[\s@]/.test(text) ? 'Enter a domain without @ or spaces' : null),
  },
  {
    kind: 'choice',
    name: 'domain',
    label: 'Sending domain',
    placeholder: 'All domains',
    searchable: true,
    data: domains.map(({ name }) => name),
  },
  {
    kind: 'choice',
    name: 'event',
    label: 'Last event',
    placeholder: 'Any event',
    data: LAST_EVENTS.map((value) => ({ value, label: value.replaceAll('_', ' ') })),
  },
  {
    kind: 'text',
    name: 'tag',
    label: 'Tag',
    placeholder: 'campaign:spring',
    problemOf: (text) => (text.includes(':') ? null : 'Enter a name and a value, such as campaign:spring'),
  },
];

/** Whether a role that sees no content may filter by the field. */
export const isOfState = (field: Field): boolean =>
  field.kind === 'period' || (field.name !== 'search' && field.name !== 'subject');
