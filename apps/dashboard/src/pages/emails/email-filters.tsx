import { Badge, Button, Collapse, Group, Select, SimpleGrid, TextInput } from '@mantine/core';
import { useDebouncedValue, useDisclosure } from '@mantine/hooks';
import { IconAdjustments, IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useQuery } from 'urql';
import { TextFilter } from '../../components/filters.tsx';
import { DomainsDocument, type EmailFilter, type EmailStatus, type LastEvent } from '../../graphql/generated.ts';

/** Not a status of a message, but one of its recipients. */
const WAITING = 'waiting';
const STATUSES: EmailStatus[] = [
  'queued',
  'scheduled',
  'sending',
  'deferred',
  'delivered',
  'bounced',
  'failed',
  'complained',
  'suppressed',
  'canceled',
];
const LAST_EVENTS: LastEvent[] = [
  'queued',
  'scheduled',
  'sent',
  'delivered',
  'delivery_delayed',
  'bounced',
  'failed',
  'opened',
  'clicked',
  'complained',
  'suppressed',
  'canceled',
];
const TEXT_FIELDS = ['to', 'from', 'subject'] as const;
const PLACEHOLDERS: Record<string, string> = {
  to: 'The recipient’s whole address',
  from: 'The sender’s whole address',
  subject: 'Beginning of the subject',
};
const TYPING_MS = 300;

/** The members of the filter that are kept in the address of the page. */
const NAMES = 'to,from,subject,status,recipient_domain,domain,event,after,before,tag,scheduled'.split(',');
/** Those behind the button. */
const MORE = ['recipient_domain', 'domain', 'event', 'after', 'before', 'tag'];

export function filterOf(search: URLSearchParams): EmailFilter | null {
  const filter: EmailFilter = {};
  for (const field of [...TEXT_FIELDS, 'domain'] as const) if (search.get(field)) filter[field] = search.get(field);
  Object.assign(filter, stateOf(search));
  if (search.get('recipient_domain')) filter.recipientDomain = search.get('recipient_domain');
  if (search.get('event')) filter.lastEvent = search.get('event') as LastEvent;
  if (search.get('scheduled')) filter.scheduled = search.get('scheduled') === 'true';
  const [after, before, tag] = ['after', 'before', 'tag'].map((name) => search.get(name));
  if (after) filter.createdAfter = instantOf(after);
  if (before) filter.createdBefore = instantOf(before);
  if (tag?.includes(':')) filter.tags = [tagOf(tag)];
  return Object.keys(filter).length > 0 ? filter : null;
}

function stateOf(search: URLSearchParams): Pick<EmailFilter, 'status' | 'waiting'> {
  const status = search.get('status');
  if (status === WAITING) return { waiting: true };
  return status ? { status: status as EmailStatus } : {};
}

/** The page with the messages that have a recipient waiting at this domain. */
export const waitingAt = (domain: string): string =>
  `/emails?${new URLSearchParams({ status: WAITING, recipient_domain: domain }).toString()}`;

/** `2026-03-01T10:00` in the time zone of the browser, or an instant. */
const instantOf = (local: string): string => new Date(local).toISOString();

function tagOf(text: string): { key: string; value: string } {
  const colon = text.indexOf(':');
  return { key: text.slice(0, colon).trim(), value: text.slice(colon + 1).trim() };
}

interface FiltersProps {
  search: URLSearchParams;
  change: (name: string, value: string | null) => void;
  clear: () => void;
}

/** All filters of `GET /emails`. */
export function EmailFilters({ search, change, clear }: FiltersProps) {
  const hidden = MORE.filter((name) => search.get(name)).length;
  const [opened, { toggle }] = useDisclosure(hidden > 0);
  return (
    <div role="search">
      <Group gap="xs">
        <SearchField search={search} change={change} />
        <Select
          placeholder="Any status"
          aria-label="Status"
          clearable
          data={[{ value: WAITING, label: 'waiting' }, ...STATUSES]}
          value={search.get('status')}
          onChange={(value) => change('status', value)}
          w={190}
        />
        <Button
          variant="default"
          leftSection={<IconAdjustments size={16} />}
          rightSection={hidden > 0 && <Badge size="sm" circle>{`${hidden}`}</Badge>}
          aria-expanded={opened}
          onClick={toggle}
        >
          Filters
        </Button>
        {NAMES.some((name) => search.get(name)) && (
          <Button variant="subtle" color="gray" leftSection={<IconX size={16} />} onClick={clear}>
            Clear
          </Button>
        )}
      </Group>
      <Collapse expanded={opened}>
        <MoreFilters search={search} change={change} />
      </Collapse>
    </div>
  );
}

function MoreFilters({ search, change }: Omit<FiltersProps, 'clear'>) {
  const [{ data }] = useQuery({ query: DomainsDocument });
  return (
    <SimpleGrid cols={{ base: 1, xs: 2, md: 3, xl: 6 }} spacing="xs" mt="xs">
      <TextFilter
        label="Recipient domain"
        showLabel
        placeholder="example.com"
        value={search.get('recipient_domain')}
        onChange={(value) => change('recipient_domain', value)}
        problemOf={(text) => (/[\s@]/.test(text) ? 'A domain, without @ and spaces' : null)}
        w="100%"
      />
      <Select
        label="Sending domain"
        placeholder="Any"
        clearable
        searchable
        data={(data?.domains ?? []).map(({ name }) => name)}
        value={search.get('domain')}
        onChange={(value) => change('domain', value)}
      />
      <Select
        label="Last event"
        placeholder="Any"
        clearable
        data={LAST_EVENTS.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
        value={search.get('event')}
        onChange={(value) => change('event', value)}
      />
      <TextInput
        label="Accepted after"
        type="datetime-local"
        value={search.get('after') ?? ''}
        onChange={(event) => change('after', event.currentTarget.value || null)}
      />
      <TextInput
        label="Accepted before"
        type="datetime-local"
        value={search.get('before') ?? ''}
        onChange={(event) => change('before', event.currentTarget.value || null)}
      />
      <TagField search={search} change={change} />
    </SimpleGrid>
  );
}

function TagField({ search, change }: Omit<FiltersProps, 'clear'>) {
  const [text, setText] = useState(search.get('tag') ?? '');
  const [settled] = useDebouncedValue(text, TYPING_MS);
  useEffect(() => {
    if ((search.get('tag') ?? '') !== settled) change('tag', settled || null);
    // Only what is typed changes the address.
  }, [settled]);
  return (
    <TextInput
      label="Tag"
      placeholder="campaign:spring"
      value={text}
      error={text !== '' && !text.includes(':') ? 'A name, a colon and a value' : undefined}
      onChange={(event) => setText(event.currentTarget.value)}
    />
  );
}

/** One text in one of the fields that the API can search. */
function SearchField({ search, change }: Omit<FiltersProps, 'clear'>) {
  const active = TEXT_FIELDS.find((field) => search.has(field)) ?? 'to';
  const [field, setField] = useState<string>(active);
  const [text, setText] = useState(search.get(active) ?? '');
  const [settled] = useDebouncedValue(text, TYPING_MS);
  useEffect(() => {
    if ((search.get(field) ?? '') !== settled) change(field, settled || null);
    // Only what is typed changes the address; the address is read once.
  }, [settled]);
  const choose = (name: string | null) => {
    if (name === null) return;
    change(field, null);
    setField(name);
    if (text) change(name, text);
  };
  return (
    <Group gap={4} wrap="nowrap" style={{ flex: 1 }} miw={260}>
      <Select
        aria-label="Field to search"
        allowDeselect={false}
        data={[...TEXT_FIELDS]}
        value={field}
        onChange={choose}
        w={110}
      />
      <TextInput
        aria-label="Search"
        placeholder={PLACEHOLDERS[field]}
        leftSection={<IconSearch size={15} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        style={{ flex: 1 }}
      />
    </Group>
  );
}
