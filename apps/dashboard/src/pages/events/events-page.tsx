import { Button, Group, Stack } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconActivity } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { PAGE_SIZE, useConnection, type ConnectionState } from '../../api/use-connection.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import type { NamedDomain } from '../../components/domains-field.tsx';
import { Facts, type Fact } from '../../components/facts.tsx';
import {
  domainField,
  PERIOD,
  useFilters,
  usePeriod,
  type FilterField,
  type Period,
} from '../../components/filters.tsx';
import { Copyable, ExactTime, Status, Time } from '../../components/format.tsx';
import { ListPage, NextStep, useLive } from '../../components/list-page.tsx';
import type { Column } from '../../components/list.tsx';
import { EVENT_TYPES } from '../../generated/constants.ts';
import { EventDomainsDocument, EventHistoryDocument, type EventPartsFragment } from '../../graphql/generated.ts';
import { detailOf, isDeferral, type EventData } from './event-detail.ts';
import { useEventStream, type EventFilter } from './use-event-stream.ts';

/** The id of an email anywhere in the pasted text, such as the address of its page. */
const EMAIL_ID = /em_[0-9a-f]{32}/;
const emailIdIn = (text: string): string | null => EMAIL_ID.exec(text)?.[0] ?? null;
const FILTERS = ['types', 'recipient', 'domain', 'email', ...PERIOD] as const;

const COLUMNS: Column<EventPartsFragment>[] = [
  { title: 'Recipient', width: 'minmax(0, 2fr)', render: ({ recipient }) => recipient ?? '–' },
  {
    title: 'Event',
    width: '170px',
    render: ({ type, data }) => <Status value={isDeferral(type, data as EventData) ? 'deferred' : type} label={type} />,
  },
  { title: 'Detail', width: 'minmax(0, 3fr)', from: 'sm', render: detailOrSubject },
  { title: 'When', width: '210px', from: 'md', render: ({ createdAt }) => <ExactTime at={createdAt} /> },
];

const fieldsOf = (domains: readonly NamedDomain[] | undefined): FilterField<(typeof FILTERS)[number]>[] => [
  { kind: 'choices', name: 'types', label: 'Types', placeholder: 'All types', data: [...EVENT_TYPES] },
  {
    kind: 'text',
    name: 'recipient',
    label: 'Recipient',
    placeholder: 'Full recipient address',
    problemOf: (text) => (/\s/.test(text) ? 'Enter an address without spaces' : null),
  },
  domainField('domain', domains),
  {
    kind: 'text',
    name: 'email',
    label: 'Email ID',
    placeholder: 'Email ID, em_…',
    parse: emailIdIn,
    problemOf: (text) => (emailIdIn(text) === null ? 'An email ID is em_ followed by 32 digits' : null),
  },
  { kind: 'period' },
];

/** The history, newest first, preceded by the events that have happened since. */
function useEvents(filter: EventFilter, { from, to }: Period, live: boolean): ConnectionState<EventPartsFragment> {
  const history = useConnection(
    EventHistoryDocument,
    { ...filter, createdAfter: from, createdBefore: to, last: PAGE_SIZE },
    ({ events }) => ({
      nodes: [...events.nodes].reverse(),
      pageInfo: { hasNextPage: events.pageInfo.hasPreviousPage, endCursor: events.pageInfo.startCursor },
    }),
  );
  const { events, error } = useEventStream(filter, live);
  const nodes = useMemo(() => {
    const known = new Set(history.nodes.map(({ id }) => id));
    const isNew = ({ id, createdAt }: EventPartsFragment) =>
      !known.has(id) && (from === null || createdAt >= from) && (to === null || createdAt < to);
    return [...events.filter(isNew), ...history.nodes];
  }, [events, history.nodes, from, to]);
  return { ...history, nodes, error: history.error ?? error };
}

export function EventsPage() {
  const [{ data }] = useQuery({ query: EventDomainsDocument });
  const filters = useFilters(FILTERS);
  const { types, domain, email, recipient } = filters.values;
  const filter = { types: types === null ? null : types.split(','), domainId: domain, emailId: email, recipient };
  const period = usePeriod(filters);
  const hasEnded = period.to !== null && Date.parse(period.to) < Date.now();
  const [live, control] = useLive(hasEnded);
  return (
    <ListPage
      title="Events"
      description="All events, newest first, as webhooks and Kafka receive them. New events appear automatically."
      actions={control}
      filters={filters}
      fields={fieldsOf(data?.domains)}
      label="Events"
      list={useEvents(filter, period, live)}
      columns={COLUMNS}
      second={(event) => [detailOrSubject(event), <Time key="at" at={event.createdAt} />]}
      dialog={(event) => ({ title: event.type, children: <Detail event={event} /> })}
      empty={{
        icon: IconActivity,
        title: 'No events yet',
        text: 'Send an email to see each step of its delivery here as it happens.',
        action: <NextStep to="/getting-started">Send your first email</NextStep>,
      }}
      hint={hasEnded ? undefined : 'New matches appear here as they happen.'}
    />
  );
}

/** The subject of the email if there is nothing more specific. */
function detailOrSubject({ type, data }: EventPartsFragment): string {
  const detail = detailOf(type, data as EventData);
  return detail === '' && type !== 'email.opened' ? ((data as EventData).subject ?? '') : detail;
}

function Detail({ event: { id, type, emailId, recipient, createdAt, data } }: { event: EventPartsFragment }) {
  const facts: Fact[] = [
    ['Recipient', recipient],
    ['Detail', detailOf(type, data as EventData)],
    ['Subject', (data as EventData).subject],
    ['When', <ExactTime key="at" at={createdAt} />],
    ['Event ID', <Copyable key="id" value={id} label="Copy event ID" />],
  ];
  return (
    <Stack>
      <Facts facts={facts} />
      {emailId && (
        <Group>
          <Button
            component={Link}
            to={`/emails/${emailId}`}
            variant="light"
            size="xs"
            onClick={() => modals.closeAll()}
          >
            View email
          </Button>
        </Group>
      )}
      <CodeBlock label="event" code={JSON.stringify({ id, type, created_at: createdAt, data }, null, 2)} />
    </Stack>
  );
}
