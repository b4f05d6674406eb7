import { Button, Group, MultiSelect, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconActivity, IconPlayerPause, IconPlayerPlay } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { CodeBlock } from '../../components/code-block.tsx';
import { Empty } from '../../components/feedback.tsx';
import { Copyable, ExactTime, Status } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { EVENT_TYPES } from '../webhooks/event-types.ts';
import { useEventStream, type StreamedEvent } from './use-event-stream.ts';

const COLUMNS: Column<StreamedEvent>[] = [
  { title: 'Event', width: '190px', render: ({ type }) => <Status value={type} /> },
  { title: 'Recipient', width: 'minmax(0, 2fr)', render: ({ recipient }) => recipient ?? '–' },
  { title: 'Words', width: 'minmax(0, 3fr)', from: 'md', render: ({ data }) => wordsOf(data) },
  { title: 'When', width: '190px', from: 'sm', render: ({ createdAt }) => <ExactTime at={createdAt} /> },
];

export function EventsPage() {
  const [types, setTypes] = useState<string[]>([]);
  const [live, setLive] = useState(true);
  const connection = useEventStream(types.length > 0 ? types : null, live);
  return (
    <Page
      title="Events"
      description="What happens from now on, as webhooks and Kafka receive it. Earlier events are on the pages of their messages."
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
      <MultiSelect
        aria-label="Types"
        placeholder={types.length > 0 ? undefined : 'All types'}
        data={EVENT_TYPES}
        value={types}
        onChange={setTypes}
        maw={520}
      />
      <ConnectionList
        label="Events"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={(event) => modals.open({ title: event.type, size: 'lg', children: <Detail event={event} /> })}
        empty={
          <Empty icon={IconActivity} title="Waiting for events">
            Events appear here the moment they happen.
          </Empty>
        }
      />
    </Page>
  );
}

/** The words of the remote server, the link of a click, or the subject. */
function wordsOf(data: unknown): string {
  const { smtp, link, subject } = data as { smtp?: { text?: string } | null; link?: string | null; subject?: string };
  return smtp?.text ?? link ?? subject ?? '';
}

function Detail({ event: { id, emailId, createdAt, data } }: { event: StreamedEvent }) {
  return (
    <Stack>
      <Group justify="space-between">
        <Copyable value={id} label="Copy the id of the event" />
        <Text size="sm" c="dimmed">
          <ExactTime at={createdAt} />
        </Text>
      </Group>
      {emailId && (
        <Button component={Link} to={`/emails/${emailId}`} variant="light" size="xs" onClick={() => modals.closeAll()}>
          Open the message
        </Button>
      )}
      <CodeBlock label="event" code={JSON.stringify(data, null, 2)} />
    </Stack>
  );
}
