import { Button, Group, Text } from '@mantine/core';
import { IconInbox, IconPaperclip, IconRocket, IconSearch, IconTrash } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useSession } from '../../api/session.tsx';
import { useConnection } from '../../api/use-connection.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useReloadOnEvents } from '../../api/use-reload-on-events.ts';
import { confirm } from '../../components/confirm.tsx';
import { Empty, notifyDone } from '../../components/feedback.tsx';
import { FilterBar, TextFilter, useFilters } from '../../components/filters.tsx';
import { formatBytes, formatNumber, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { ClearInboxDocument, InboxDocument, type InboxQuery } from '../../graphql/generated.ts';

type Captured = InboxQuery['capturedEmails']['nodes'][number];

const PAGE_SIZE = 50;
const FILTERS = ['to'] as const;
const REFRESH_MS = 500;

const COLUMNS: Column<Captured>[] = [
  {
    title: 'Subject',
    width: 'minmax(0, 3fr)',
    render: ({ email, rcptTo }) => (
      <>
        <Group gap={6} wrap="nowrap">
          <Text size="sm" fw={500} truncate>
            {email?.subject || '(no subject)'}
          </Text>
          {(email?.attachments.length ?? 0) > 0 && <IconPaperclip size={14} aria-label="With attachments" />}
        </Group>
        <Text size="xs" c="dimmed" truncate hiddenFrom="sm">
          {rcptTo.join(', ')}
        </Text>
      </>
    ),
  },
  { title: 'To', width: 'minmax(0, 2fr)', from: 'sm', render: ({ rcptTo }) => rcptTo.join(', ') },
  { title: 'From', width: 'minmax(0, 2fr)', from: 'md', render: ({ email }) => email?.from ?? '' },
  { title: 'Size', width: '80px', from: 'md', render: ({ size }) => formatBytes(size) },
  { title: 'When', width: '110px', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function InboxPage() {
  const { may } = useSession();
  const filters = useFilters(FILTERS);
  const { to } = filters.values;
  const variables = { first: PAGE_SIZE, after: null, filter: to === null ? null : { to } };
  const connection = useConnection(InboxDocument, variables, ({ capturedEmails }) => capturedEmails);
  const { reload, onFirstPage, nodes } = connection;
  useReloadOnEvents(reload, { everyMs: REFRESH_MS, pause: !onFirstPage });
  const clear = useOperation(ClearInboxDocument);
  const clearAll = () =>
    confirm({
      title: 'Delete all messages?',
      text: 'This empties the inbox. The messages remain in the list of emails.',
      confirm: 'Delete all',
      run: async () => {
        const { deleteCapturedEmails } = await clear({});
        notifyDone(`${formatNumber(deleteCapturedEmails.count)} messages have been deleted.`);
        reload();
      },
    });
  return (
    <Page
      title="Inbox"
      description="Messages captured instead of being delivered: those of test keys and, in capture mode, all others."
      actions={
        may('emails.send') &&
        nodes.length > 0 && (
          <Button variant="default" leftSection={<IconTrash size={16} />} onClick={clearAll}>
            Delete all
          </Button>
        )
      }
    >
      <FilterBar filters={filters}>
        <TextFilter
          filters={filters}
          name="to"
          label="Recipient"
          placeholder="Full address of the recipient"
          leftSection={<IconSearch size={15} />}
          w={{ base: '100%', xs: 320 }}
        />
      </FilterBar>
      <ConnectionList
        label="Captured messages"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        linkTo={({ emailId }) => `/inbox/${emailId}`}
        empty={
          <Empty
            icon={IconInbox}
            title={filters.isActive ? 'No matching messages' : 'The inbox is empty'}
            action={
              <Button component={Link} to="/getting-started" variant="light" leftSection={<IconRocket size={16} />}>
                Send a message
              </Button>
            }
          >
            Send with a test key, or start the service with DELIVERY_MODE=capture. Captured messages appear here
            automatically.
          </Empty>
        }
      />
    </Page>
  );
}
