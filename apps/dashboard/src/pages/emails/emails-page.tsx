import { Button, Text } from '@mantine/core';
import { IconMail, IconRefresh, IconSearch } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { Link, useSearchParams } from 'react-router';
import { useSubscription } from 'urql';
import { useConnection } from '../../api/use-connection.ts';
import { Empty } from '../../components/feedback.tsx';
import { Status, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { EmailEventsDocument, EmailsDocument, type EmailsQuery } from '../../graphql/generated.ts';
import { EmailFilters, filterOf } from './email-filters.tsx';

type Email = EmailsQuery['emails']['nodes'][number];

const PAGE_SIZE = 50;
const REFRESH_MS = 1_500;

const COLUMNS: Column<Email>[] = [
  {
    title: 'To',
    width: 'minmax(0, 2fr)',
    render: ({ to, subject }) => (
      <>
        {to.length > 1 ? `${to[0]} and ${to.length - 1} more` : to[0]}
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          {subject}
        </Text>
      </>
    ),
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
  // The fields keep the typed text until they are created again.
  const [cleared, setCleared] = useState(0);
  const clear = () => {
    setSearch({});
    setCleared((count) => count + 1);
  };
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
      <EmailFilters key={cleared} search={search} change={change} clear={clear} />
      <ConnectionList
        label="Emails"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkTo={({ id }) => `/emails/${id}`}
        empty={filter ? <NothingFound clear={clear} /> : <NoEmails />}
      />
    </Page>
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
      Addresses and domains match as a whole, subjects from their beginning.
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
