import { Alert, Button, Code, Group, Stack, Table, Tabs, Text, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { modals } from '@mantine/modals';
import { IconInbox, IconSearch, IconTrash } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { useSubscription } from 'urql';
import { accountHeaders } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import { useConnection } from '../../api/use-connection.ts';
import { useLoad } from '../../api/use-load.ts';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { Empty, Failure, Loading, notifyDone } from '../../components/feedback.tsx';
import { formatBytes, formatNumber, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { ClearInboxDocument, EmailEventsDocument, InboxDocument, type InboxQuery } from '../../graphql/generated.ts';
import { MessageFrame } from '../emails/message-content.tsx';
import { headerFields } from './header-fields.ts';

type Captured = InboxQuery['capturedEmails']['nodes'][number];

const PAGE_SIZE = 50;
const TYPING_MS = 300;
const REFRESH_MS = 500;

const COLUMNS: Column<Captured>[] = [
  { title: 'Subject', width: 'minmax(0, 3fr)', render: ({ email }) => email?.subject || '(no subject)' },
  { title: 'To', width: 'minmax(0, 2fr)', from: 'sm', render: ({ rcptTo }) => rcptTo.join(', ') },
  { title: 'Size', width: '90px', from: 'md', render: ({ size }) => formatBytes(size) },
  { title: 'When', width: '130px', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function InboxPage() {
  const { may } = useSession();
  const [text, setText] = useState('');
  const [to] = useDebouncedValue(text.trim(), TYPING_MS);
  const variables = { first: PAGE_SIZE, after: null, filter: to === '' ? null : { to } };
  const connection = useConnection(InboxDocument, variables, ({ capturedEmails }) => capturedEmails);
  const { reload, onFirstPage } = connection;
  const [{ data }] = useSubscription({ query: EmailEventsDocument, variables: {}, pause: !onFirstPage });
  const latest = data?.emailEvents.id;
  useEffect(() => {
    if (latest === undefined) return undefined;
    const timer = window.setTimeout(reload, REFRESH_MS);
    return () => window.clearTimeout(timer);
  }, [latest, reload]);
  const clear = useOperation(ClearInboxDocument);
  const clearAll = () =>
    confirm({
      title: 'Delete all messages?',
      text: 'The inbox is emptied. The messages stay in the list of emails.',
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
      description="Messages that were captured instead of delivered: all in capture mode, and those of test keys."
      actions={
        may('emails.send') &&
        connection.nodes.length > 0 && (
          <Button variant="default" leftSection={<IconTrash size={16} />} onClick={clearAll}>
            Delete all
          </Button>
        )
      }
    >
      <TextInput
        aria-label="Recipient"
        placeholder="Recipient"
        leftSection={<IconSearch size={15} />}
        value={text}
        onChange={(event) => setText(event.currentTarget.value)}
        maw={360}
      />
      <ConnectionList
        label="Captured messages"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={(message) =>
          modals.open({
            title: message.email?.subject || '(no subject)',
            size: '100%',
            children: <CapturedMessage message={message} />,
          })
        }
        empty={
          <Empty icon={IconInbox} title={to === '' ? 'The inbox is empty' : 'No message matches'}>
            Send with a test key, or start with DELIVERY_MODE=capture: messages appear here by themselves.
          </Empty>
        }
      />
    </Page>
  );
}

function CapturedMessage({ message: { id, emailId, mailFrom, rcptTo, email } }: { message: Captured }) {
  const source = useLoad(id, () => fetchSource(id));
  return (
    <Stack>
      <Group justify="space-between">
        <Text size="sm" className="break">
          {mailFrom || '<>'} → {rcptTo.join(', ')}
        </Text>
        <Button component={Link} to={`/emails/${emailId}`} size="xs" variant="light" onClick={() => modals.closeAll()}>
          Open the email
        </Button>
      </Group>
      <Tabs defaultValue={email?.html ? 'html' : 'text'}>
        <Tabs.List mb="md">
          {email?.html && <Tabs.Tab value="html">HTML</Tabs.Tab>}
          <Tabs.Tab value="text">Text</Tabs.Tab>
          <Tabs.Tab value="headers">Headers</Tabs.Tab>
          <Tabs.Tab value="source">Source</Tabs.Tab>
        </Tabs.List>
        {email?.html && (
          <Tabs.Panel value="html">
            <MessageFrame emailId={emailId} />
          </Tabs.Panel>
        )}
        <Tabs.Panel value="text">
          {email?.text ? (
            <Code block className="break" style={{ whiteSpace: 'pre-wrap' }}>
              {email.text}
            </Code>
          ) : (
            <Alert>This message has no text part of its own; see its source.</Alert>
          )}
        </Tabs.Panel>
        <Tabs.Panel value="headers">
          <Source source={source} render={(text) => <Headers source={text} />} />
        </Tabs.Panel>
        <Tabs.Panel value="source">
          <Source
            source={source}
            render={(text) => (
              <Code block mah={560} className="break" style={{ whiteSpace: 'pre-wrap', overflow: 'auto' }}>
                {text}
              </Code>
            )}
          />
        </Tabs.Panel>
      </Tabs>
    </Stack>
  );
}

interface SourceProps {
  source: ReturnType<typeof useLoad<string>>;
  render: (text: string) => React.ReactNode;
}

function Source({ source: { data, error, reload }, render }: SourceProps) {
  if (error !== null) return <Failure error={error} retry={reload} />;
  return data === null ? <Loading /> : render(data);
}

function Headers({ source }: { source: string }) {
  return (
    <Table>
      <Table.Tbody>
        {headerFields(source).map(({ name, value, meaning }, index) => (
          <Table.Tr key={`${index} ${name}`}>
            <Table.Th w={200} style={{ verticalAlign: 'top' }}>
              {name}
            </Table.Th>
            <Table.Td className="break">
              {value}
              {meaning && (
                <Text size="xs" c="dimmed">
                  {meaning}
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

async function fetchSource(id: string): Promise<string> {
  const response = await fetch(`/captured/${id}/raw`, { headers: accountHeaders() });
  if (!response.ok) throw new Error('The source of this message is not kept any more.');
  return response.text();
}
