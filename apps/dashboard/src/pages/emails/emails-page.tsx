import { Button, Text } from '@mantine/core';
import { IconMail, IconRefresh, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useConnection } from '../../api/use-connection.ts';
import { useReloadOnEvents } from '../../api/use-reload-on-events.ts';
import { Empty } from '../../components/feedback.tsx';
import { useFilters, usePeriod } from '../../components/filters.tsx';
import { Status, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { EmailsDocument, type EmailsQuery } from '../../graphql/generated.ts';
import { EmailFilters } from './email-filters.tsx';
import { FILTERS, filterOf } from './filter.ts';

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
  const filters = useFilters(FILTERS);
  const filter = filterOf(filters.values, usePeriod(filters));
  const connection = useConnection(EmailsDocument, { first: PAGE_SIZE, after: null, filter }, ({ emails }) => emails);
  const [live, setLive] = useState(true);
  const pause = !live || !connection.onFirstPage || connection.loading;
  useReloadOnEvents(connection.reload, { everyMs: REFRESH_MS, pause });
  return (
    <Page
      title="Emails"
      description="All messages of this account, newest first."
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
      <EmailFilters filters={filters} />
      <ConnectionList
        label="Emails"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkTo={({ id }) => `/emails/${id}`}
        empty={filter ? <NothingFound clear={filters.clear} /> : <NoEmails />}
      />
    </Page>
  );
}

function NothingFound({ clear }: { clear: () => void }) {
  return (
    <Empty
      icon={IconSearch}
      title="No matching messages"
      action={
        <Button variant="light" onClick={clear}>
          Clear filters
        </Button>
      }
    >
      Addresses and domains must match exactly, subjects from the start.
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
          Send your first message
        </Button>
      }
    >
      Messages appear here as soon as they are accepted over the API or the SMTP relay.
    </Empty>
  );
}
