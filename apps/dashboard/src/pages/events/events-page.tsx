import { Box, Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconActivity, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useConnection, type ConnectionState } from '../../api/use-connection.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Facts, type Fact } from '../../components/facts.tsx';
import { Empty } from '../../components/feedback.tsx';
import {
  DomainFilter,
  FilterBar,
  PERIOD,
  PeriodFilter,
  TextFilter,
  useFilters,
  usePeriod,
  type Filters,
  type Period,
} from '../../components/filters.tsx';
import { Copyable, ExactTime, Status, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { EVENT_TYPES } from '../../generated/constants.ts';
import { EventDomainsDocument, EventHistoryDocument, type EventPartsFragment } from '../../graphql/generated.ts';
import { detailOf, isDeferral, type EventData } from './event-detail.ts';
import { useEventStream, type EventFilter } from './use-event-stream.ts';

const PAGE_SIZE = 50;
/** The id of an email anywhere in the pasted text, such as the address of its page. */
const EMAIL_ID = /em_[0-9a-f]{32}/;
const emailIdIn = (text: string): string | null => EMAIL_ID.exec(text)?.[0] ?? null;
const FILTERS = ['types', 'recipient', 'domain', 'email', ...PERIOD] as const;

const COLUMNS: Column<EventPartsFragment>[] = [
  { title: 'Recipient', width: 'minmax(0, 2fr)', render: (event) => <Recipient event={event} /> },
  { title: 'Event', width: '170px', render: (event) => <EventType event={event} /> },
  { title: 'Detail', width: 'minmax(0, 3fr)', from: 'md', render: detailOrSubject },
  { title: 'When', width: '210px', from: 'sm', render: ({ createdAt }) => <ExactTime at={createdAt} /> },
];

/** The history, newest first, preceded by the events that have happened since. */
function useEvents(filter: EventFilter, { from, to }: Period, live: boolean): ConnectionState<EventPartsFragment> {
  const variables = { last: PAGE_SIZE, after: null, ...filter, createdAfter: from, createdBefore: to };
  const history = useConnection(EventHistoryDocument, variables, ({ events }) => ({
    nodes: [...events.nodes].reverse(),
    pageInfo: { hasNextPage: events.pageInfo.hasPreviousPage, endCursor: events.pageInfo.startCursor },
  }));
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
  const filters = useFilters(FILTERS);
  const { types, domain, email, recipient } = filters.values;
  const filter: EventFilter = {
    types: types === null ? null : types.split(','),
    domainId: domain,
    emailId: email,
    recipient,
  };
  const period = usePeriod(filters);
  const hasEnded = period.to !== null && Date.parse(period.to) < Date.now();
  const [live, setLive] = useState(true);
  const connection = useEvents(filter, period, live && !hasEnded);
  return (
    <Page
      title="Events"
      description="All events, newest first, as webhooks and Kafka receive them. New events appear automatically."
      actions={
        <Button
          variant={live && !hasEnded ? 'light' : 'default'}
          leftSection={live ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          disabled={hasEnded}
          onClick={() => setLive(!live)}
        >
          {live ? 'Pause' : 'Resume'}
        </Button>
      }
    >
      <EventFilters filters={filters} />
      <ConnectionList
        label="Events"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={(event) => modals.open({ title: event.type, size: 'lg', children: <Detail event={event} /> })}
        empty={
          <Empty
            icon={IconActivity}
            title={filters.isActive ? 'No matching events' : 'No events yet'}
            action={
              !filters.isActive && (
                <Button component={Link} to="/getting-started" variant="light">
                  Send your first message
                </Button>
              )
            }
          >
            {filters.isActive
              ? `No events match these filters.${hasEnded ? '' : ' New matches appear here as they happen.'}`
              : 'Send a message to see each step of its delivery here as it happens.'}
          </Empty>
        }
      />
    </Page>
  );
}

function EventFilters({ filters }: { filters: Filters<(typeof FILTERS)[number]> }) {
  const [{ data }] = useQuery({ query: EventDomainsDocument });
  const { types } = filters.values;
  return (
    <FilterBar filters={filters}>
      <MultiSelect
        aria-label="Types"
        placeholder={types === null ? 'All types' : undefined}
        data={EVENT_TYPES}
        value={types?.split(',') ?? []}
        onChange={(chosen) => filters.set({ types: chosen.join(',') })}
        clearable
        w={{ base: '100%', sm: 245 }}
      />
      <TextFilter
        filters={filters}
        name="recipient"
        label="Recipient"
        placeholder="Full recipient address"
        problemOf={(text) => (/\s/.test(text) ? 'Enter an address without spaces' : null)}
        w={{ base: '100%', xs: 200 }}
      />
      <DomainFilter filters={filters} domains={data?.domains} />
      <TextFilter
        filters={filters}
        name="email"
        label="Email ID"
        placeholder="Email ID, em_…"
        parse={emailIdIn}
        problemOf={(text) => (emailIdIn(text) === null ? 'An email ID is em_ followed by 32 digits' : null)}
        w={{ base: '100%', xs: 170 }}
      />
      <PeriodFilter filters={filters} />
    </FilterBar>
  );
}

function EventType({ event: { type, data, createdAt } }: { event: EventPartsFragment }) {
  return (
    <Box ta={{ base: 'right', sm: 'left' }}>
      <Status value={isDeferral(type, data as EventData) ? 'deferred' : type} label={type} />
      <Text size="xs" c="dimmed" hiddenFrom="sm">
        <Time at={createdAt} />
      </Text>
    </Box>
  );
}

/** With the detail on screens that have no column for it. */
function Recipient({ event }: { event: EventPartsFragment }) {
  return (
    <>
      {event.recipient ?? '–'}
      <Text component="span" display="block" size="xs" c="dimmed" truncate hiddenFrom="md">
        {detailOrSubject(event)}
      </Text>
    </>
  );
}

/** The subject of the message if there is nothing more specific. */
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
            View message
          </Button>
        </Group>
      )}
      <CodeBlock label="event" code={JSON.stringify({ id, type, created_at: createdAt, data }, null, 2)} />
    </Stack>
  );
}
