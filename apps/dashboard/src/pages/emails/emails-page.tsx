import { Button, Group, Select, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { IconMail, IconRefresh, IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useSubscription } from 'urql';
import { useConnection } from '../../api/use-connection.ts';
import { Empty } from '../../components/feedback.tsx';
import { Status, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import {
  EmailEventsDocument,
  EmailsDocument,
  type EmailFilter,
  type EmailsQuery,
  type EmailStatus,
} from '../../graphql/generated.ts';

type Email = EmailsQuery['emails']['nodes'][number];

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
const FIELDS = ['to', 'from', 'subject', 'domain'] as const;
const PAGE_SIZE = 50;
const TYPING_MS = 300;
const REFRESH_MS = 1_500;

const COLUMNS: Column<Email>[] = [
  {
    title: 'To',
    width: 'minmax(0, 2fr)',
    render: ({ to }) => (to.length > 1 ? `${to[0]} and ${to.length - 1} more` : to[0]),
  },
  { title: 'Status', width: '110px', render: ({ status }) => <Status value={status} /> },
  { title: 'Subject', width: 'minmax(0, 3fr)', from: 'sm', render: ({ subject }) => subject },
  { title: 'From', width: 'minmax(0, 2fr)', from: 'md', render: ({ from }) => from },
  { title: 'Accepted', width: '130px', from: 'xs', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function EmailsPage() {
  const [search, setSearch] = useSearchParams();
  const filter = filterOf(search);
  const connection = useConnection(EmailsDocument, { first: PAGE_SIZE, after: null, filter }, ({ emails }) => emails);
  const [live, setLive] = useState(true);
  useRefresh(connection.reload, live && connection.onFirstPage && !connection.loading);
  const change = (name: string, value: string | null) =>
    setSearch(
      (before) => {
        const next = new URLSearchParams(before);
        if (value) next.set(name, value);
        else next.delete(name);
        return next;
      },
      { replace: true },
    );
  return (
    <Page
      title="Emails"
      description="Every message of the account, newest first."
      actions={
        <Button
          variant={live ? 'light' : 'default'}
          leftSection={<IconRefresh size={16} />}
          aria-pressed={live}
          onClick={() => setLive(!live)}
        >
          {live ? 'Live' : 'Paused'}
        </Button>
      }
    >
      <Group gap="xs" role="search">
        <SearchField search={search} change={change} />
        <Select
          placeholder="Any status"
          aria-label="Status"
          clearable
          data={STATUSES}
          value={search.get('status')}
          onChange={(value) => change('status', value)}
          w={150}
        />
      </Group>
      <ConnectionList
        label="Emails"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkTo={({ id }) => `/emails/${id}`}
        empty={filter ? <NothingFound clear={() => setSearch({})} /> : <NoEmails />}
      />
    </Page>
  );
}

function filterOf(search: URLSearchParams): EmailFilter | null {
  const filter: EmailFilter = {};
  for (const field of FIELDS) if (search.get(field)) filter[field] = search.get(field);
  if (search.get('status')) filter.status = search.get('status') as EmailStatus;
  return Object.keys(filter).length > 0 ? filter : null;
}

interface SearchFieldProps {
  search: URLSearchParams;
  change: (name: string, value: string | null) => void;
}

/** One text in one of the fields that the API can search. */
function SearchField({ search, change }: SearchFieldProps) {
  const active = FIELDS.find((field) => search.has(field)) ?? 'to';
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
        data={[...FIELDS]}
        value={field}
        onChange={choose}
        w={110}
      />
      <TextInput
        aria-label="Search"
        placeholder={field === 'subject' ? 'Words of the subject' : field === 'domain' ? 'example.com' : 'Address'}
        leftSection={<IconSearch size={15} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        style={{ flex: 1 }}
      />
    </Group>
  );
}

/** Reloads after events, at most once per interval. */
function useRefresh(reload: () => void, enabled: boolean): void {
  const [{ data }] = useSubscription({ query: EmailEventsDocument, variables: {}, pause: !enabled });
  const timer = useRef<number | null>(null);
  const id = data?.emailEvents.id;
  useEffect(() => {
    if (id === undefined || timer.current !== null) return;
    timer.current = window.setTimeout(() => {
      timer.current = null;
      reload();
    }, REFRESH_MS);
  }, [id, reload]);
  useEffect(
    () => () => {
      if (timer.current !== null) window.clearTimeout(timer.current);
      timer.current = null;
    },
    [],
  );
}

function NothingFound({ clear }: { clear: () => void }) {
  return (
    <Empty
      icon={IconSearch}
      title="No message matches"
      action={
        <Button variant="light" onClick={clear}>
          Clear the filter
        </Button>
      }
    >
      Addresses match from their beginning; subjects match whole words.
    </Empty>
  );
}

function NoEmails() {
  return (
    <Empty
      icon={IconMail}
      title="No messages yet"
      action={
        <Button component={Link} to="/getting-started" variant="light">
          Send the first one
        </Button>
      }
    >
      Messages appear here as soon as they are accepted over the API or the SMTP relay.
    </Empty>
  );
}
