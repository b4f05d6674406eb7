import { Button, Group, MultiSelect, Select, Stack, Text, TextInput } from '@mantine/core';
import { useDebouncedCallback } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconActivity, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useConnection, type ConnectionState } from '../../api/use-connection.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Empty } from '../../components/feedback.tsx';
import { Copyable, ExactTime, Status } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { EventDomainsDocument, EventHistoryDocument, type EventPartsFragment } from '../../graphql/generated.ts';
import { EVENT_TYPES } from '../webhooks/event-types.ts';
import { useEventStream, type EventFilter } from './use-event-stream.ts';

const PAGE_SIZE = 50;
const TYPING_MS = 300;
/** An id of an e-mail, anywhere in what was pasted, such as the address of its page. */
const EMAIL_ID = /em_[0-9a-f]{32}/;
const emailIdIn = (text: string): string | null => EMAIL_ID.exec(text)?.[0] ?? null;
const EVERYTHING: EventFilter = { types: null, domainId: null, emailId: null };

const COLUMNS: Column<EventPartsFragment>[] = [
  { title: 'Event', width: '190px', render: ({ type }) => <Status value={type} /> },
  { title: 'Recipient', width: 'minmax(0, 2fr)', render: ({ recipient }) => recipient ?? '–' },
  { title: 'Words', width: 'minmax(0, 3fr)', from: 'md', render: ({ data }) => wordsOf(data) },
  { title: 'When', width: '190px', from: 'sm', render: ({ createdAt }) => <ExactTime at={createdAt} /> },
];

/** The history, newest first, with the events before it that have happened since. */
function useEvents(filter: EventFilter, live: boolean): ConnectionState<EventPartsFragment> {
  const history = useConnection(EventHistoryDocument, { last: PAGE_SIZE, after: null, ...filter }, ({ events }) => ({
    nodes: [...events.nodes].reverse(),
    pageInfo: { hasNextPage: events.pageInfo.hasPreviousPage, endCursor: events.pageInfo.startCursor },
  }));
  const { events, error } = useEventStream(filter, live);
  const nodes = useMemo(() => {
    const known = new Set(history.nodes.map(({ id }) => id));
    return [...events.filter(({ id }) => !known.has(id)), ...history.nodes];
  }, [events, history.nodes]);
  return { ...history, nodes, error: history.error ?? error };
}

export function EventsPage() {
  const [filter, setFilter] = useState<EventFilter>(EVERYTHING);
  const [live, setLive] = useState(true);
  const connection = useEvents(filter, live);
  const isFiltered = JSON.stringify(filter) !== JSON.stringify(EVERYTHING);
  return (
    <Page
      title="Events"
      description="What has happened, newest first, as webhooks and Kafka receive it. New events appear by themselves."
      actions={
        <Button
          variant={live ? 'light' : 'default'}
          leftSection={live ? <IconPlayerPause size={16} /> : <IconPlayerPlay size={16} />}
          onClick={() => setLive(!live)}
        >
          {live ? 'Pause' : 'Continue'}
        </Button>
      }
    >
      <Filters filter={filter} onChange={setFilter} />
      <ConnectionList
        label="Events"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={(event) => modals.open({ title: event.type, size: 'lg', children: <Detail event={event} /> })}
        empty={
          <Empty icon={IconActivity} title="No events">
            {isFiltered
              ? 'Nothing matches these filters. Matching events appear here the moment they happen.'
              : 'Send a message: each step of its way appears here the moment it happens.'}
          </Empty>
        }
      />
    </Page>
  );
}

function Filters({ filter, onChange }: { filter: EventFilter; onChange: (filter: EventFilter) => void }) {
  const [email, setEmail] = useState('');
  const [{ data }] = useQuery({ query: EventDomainsDocument });
  const search = useDebouncedCallback((text: string) => onChange({ ...filter, emailId: emailIdIn(text) }), TYPING_MS);
  const types = filter.types ?? [];
  return (
    <Group gap="xs" align="flex-start">
      <MultiSelect
        aria-label="Types"
        placeholder={types.length > 0 ? undefined : 'All types'}
        data={EVENT_TYPES}
        value={types}
        onChange={(chosen) => onChange({ ...filter, types: chosen.length > 0 ? chosen : null })}
        clearable
        w={{ base: '100%', sm: 320 }}
      />
      <Select
        aria-label="Domain"
        placeholder="All domains"
        clearable
        searchable
        data={(data?.domains ?? []).map(({ id, name }) => ({ value: id, label: name }))}
        value={filter.domainId}
        onChange={(domainId) => onChange({ ...filter, domainId })}
        w={{ base: '100%', xs: 220 }}
      />
      <TextInput
        aria-label="Id of an e-mail"
        placeholder="Id of an e-mail, em_…"
        value={email}
        onChange={(event) => {
          setEmail(event.currentTarget.value);
          search(event.currentTarget.value);
        }}
        error={email !== '' && emailIdIn(email) === null ? 'An id is em_ and 32 digits' : null}
        w={{ base: '100%', xs: 300 }}
      />
    </Group>
  );
}

/** The words of the remote server, the link of a click, or the subject. */
function wordsOf(data: unknown): string {
  const { smtp, link, subject } = data as { smtp?: { text?: string } | null; link?: string | null; subject?: string };
  return smtp?.text ?? link ?? subject ?? '';
}

function Detail({ event: { id, type, emailId, recipient, createdAt, data } }: { event: EventPartsFragment }) {
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <Status value={type} />
          <Text size="sm">{recipient}</Text>
        </Group>
        <Text size="sm" c="dimmed">
          <ExactTime at={createdAt} />
        </Text>
      </Group>
      <Copyable value={id} label="Copy the id of the event" />
      {emailId && (
        <Button component={Link} to={`/emails/${emailId}`} variant="light" size="xs" onClick={() => modals.closeAll()}>
          Open the message
        </Button>
      )}
      <CodeBlock label="event" code={JSON.stringify({ id, type, created_at: createdAt, data }, null, 2)} />
    </Stack>
  );
}
