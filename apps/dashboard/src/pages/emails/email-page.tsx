import { Anchor, Badge, Button, Card, Code, Grid, Group, Stack, Table, Text, Timeline, Title } from '@mantine/core';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { modals } from '@mantine/modals';
import { IconCalendar, IconRepeat, IconX } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { Link, useNavigate, useParams } from 'react-router';
import { useQuery, useSubscription } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { confirm } from '../../components/confirm.tsx';
import { Failure, Loading, notifyDone, notifyFailed } from '../../components/feedback.tsx';
import { Copyable, ExactTime, formatBytes, Status, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import {
  CancelEmailDocument,
  EmailDocument,
  EmailEventsDocument,
  RescheduleEmailDocument,
  RetryEmailDocument,
  type EmailQuery,
} from '../../graphql/generated.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { MessageContent } from './message-content.tsx';

type Email = NonNullable<EmailQuery['email']>;

export function EmailPage() {
  const { id = '' } = useParams();
  const [{ data, error, fetching }, refresh] = useQuery({ query: EmailDocument, variables: { id } });
  const [{ data: event }] = useSubscription({ query: EmailEventsDocument, variables: { emailId: id } });
  const latest = event?.emailEvents.id;
  useEffect(() => {
    if (latest !== undefined) refresh({ requestPolicy: 'network-only' });
  }, [latest, refresh]);
  if (error && !data) return <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />;
  if (!data) return fetching ? <Loading /> : null;
  if (!data.email) return <NotFoundPage />;
  const { email } = data;
  return (
    <Page
      title={email.subject || '(no subject)'}
      parent={{ label: 'Emails', path: '/emails' }}
      description={
        <Group gap="xs">
          <Status value={email.status} />
          {email.mode === 'test' && (
            <Badge color="dark" variant="outline">
              test
            </Badge>
          )}
          <Copyable value={email.id} label="Copy the id" />
        </Group>
      }
      actions={<Actions email={email} refresh={() => refresh({ requestPolicy: 'network-only' })} />}
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Recipients email={email} />
            <MessageContent email={email} />
          </Stack>
        </Grid.Col>
        <Grid.Col span={{ base: 12, md: 4 }}>
          <Stack gap="lg">
            <Facts email={email} />
            <History email={email} />
          </Stack>
        </Grid.Col>
      </Grid>
      <Attempts email={email} />
    </Page>
  );
}

function Actions({ email, refresh }: { email: Email; refresh: () => void }) {
  const { may } = useSession();
  const navigate = useNavigate();
  const cancel = useOperation(CancelEmailDocument);
  const retry = useOperation(RetryEmailDocument);
  if (!may('emails.send')) return null;
  const again = () =>
    void retry({ id: email.id })
      .then(({ retryEmail }) => navigate(`/emails/${retryEmail.id}`))
      .catch(notifyFailed);
  return (
    <>
      {email.status === 'scheduled' && (
        <>
          <Button
            variant="default"
            leftSection={<IconCalendar size={16} />}
            onClick={() => openReschedule(email, refresh)}
          >
            Reschedule
          </Button>
          <Button
            color="red"
            variant="light"
            leftSection={<IconX size={16} />}
            onClick={() =>
              confirm({
                title: 'Cancel this message?',
                text: 'It will not be sent. This cannot be undone.',
                confirm: 'Cancel the message',
                run: async () => {
                  await cancel({ id: email.id });
                  notifyDone('The message has been canceled.');
                  refresh();
                },
              })
            }
          >
            Cancel
          </Button>
        </>
      )}
      {(email.status === 'failed' || email.status === 'bounced') && (
        <Button variant="default" leftSection={<IconRepeat size={16} />} onClick={again}>
          Send again
        </Button>
      )}
    </>
  );
}

function openReschedule(email: Email, refresh: () => void): void {
  modals.open({ title: 'Reschedule', children: <RescheduleForm email={email} refresh={refresh} /> });
}

function RescheduleForm({ email, refresh }: { email: Email; refresh: () => void }) {
  const reschedule = useOperation(RescheduleEmailDocument);
  const [at, setAt] = useState(email.scheduledAt ?? new Date().toISOString());
  const save = async () => {
    await reschedule({ id: email.id, input: { scheduledAt: at } });
    modals.closeAll();
    notifyDone('The message has been rescheduled.');
    refresh();
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        void save().catch(notifyFailed);
      }}
    >
      <Stack>
        <DateTimeInput label="Send at" value={at} onChange={setAt} />
        <Button type="submit">Reschedule</Button>
      </Stack>
    </form>
  );
}

function Recipients({ email }: { email: Email }) {
  const reasons = new Map(email.explanation?.recipients.map((one) => [one.address, one]));
  return (
    <Card withBorder padding={0}>
      <Table.ScrollContainer minWidth={480}>
        <Table verticalSpacing="sm" horizontalSpacing="md" aria-label="Recipients">
          <Table.Tbody>
            {email.recipients.map(({ address, type, status, smtp, visits }) => {
              const reason = reasons.get(address);
              return (
                <Table.Tr key={`${type} ${address}`}>
                  <Table.Td>
                    <Text size="sm" fw={500} className="break">
                      {address}
                    </Text>
                    <Text size="xs" c="dimmed">
                      {type}
                      {visits &&
                        (visits.opens > 0 || visits.clicks > 0) &&
                        ` · opened ${visits.opens}, clicked ${visits.clicks}`}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Status value={status} />
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">{reason?.because}</Text>
                    {reason?.until && (
                      <Text size="xs" c="dimmed">
                        next attempt <Time at={reason.until} />
                      </Text>
                    )}
                    {smtp && (
                      <Code block mt={4} className="break" style={{ whiteSpace: 'pre-wrap' }}>
                        {[smtp.code, smtp.enhanced, smtp.text].filter(Boolean).join(' ')}
                      </Code>
                    )}
                  </Table.Td>
                </Table.Tr>
              );
            })}
          </Table.Tbody>
        </Table>
      </Table.ScrollContainer>
    </Card>
  );
}

function Facts({ email }: { email: Email }) {
  const facts: [string, React.ReactNode][] = [
    ['From', email.from],
    ['To', email.to.join(', ')],
    ['Cc', email.cc.join(', ')],
    ['Bcc', email.bcc.join(', ')],
    ['Reply-To', email.replyTo.join(', ')],
    ['Accepted', <ExactTime key="at" at={email.createdAt} />],
    ['Scheduled', email.scheduledAt && <ExactTime key="at" at={email.scheduledAt} />],
    ['Delivered', email.deliveredAt && <ExactTime key="at" at={email.deliveredAt} />],
    ['Message-ID', <Code key="id">{email.messageId}</Code>],
    ['Tags', email.tags.map(({ key, value }) => `${key}: ${value}`).join(', ')],
    [
      'Tracking',
      email.tracking && [email.tracking.opens && 'opens', email.tracking.clicks && 'clicks'].filter(Boolean).join(', '),
    ],
    [
      'Repeats',
      email.retryOf && (
        <Anchor key="retry" component={Link} to={`/emails/${email.retryOf}`}>
          {email.retryOf}
        </Anchor>
      ),
    ],
  ];
  return (
    <Card withBorder>
      <Stack gap={6}>
        {facts
          .filter(([, value]) => Boolean(value))
          .map(([name, value]) => (
            <Group key={name} gap="xs" wrap="nowrap" align="flex-start">
              <Text size="sm" c="dimmed" w={84} style={{ flexShrink: 0 }}>
                {name}
              </Text>
              <Text size="sm" className="break" component="div">
                {value}
              </Text>
            </Group>
          ))}
        {email.attachments.map(({ id, filename, size, downloadUrl }) => (
          <Anchor key={id} href={downloadUrl} size="sm">
            {filename} ({formatBytes(size)})
          </Anchor>
        ))}
      </Stack>
    </Card>
  );
}

function History({ email }: { email: Email }) {
  const events = email.events.nodes;
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="md">
        Timeline
      </Title>
      <Timeline bulletSize={12} lineWidth={2} active={events.length}>
        {events.map(({ id, type, createdAt, data }) => (
          <Timeline.Item key={id} title={<Status value={type} />}>
            <Text size="xs" c="dimmed">
              <ExactTime at={createdAt} />
            </Text>
            <EventWords data={data} />
          </Timeline.Item>
        ))}
      </Timeline>
    </Card>
  );
}

/** The recipient and the words of the remote server, where an event has them. */
function EventWords({ data }: { data: unknown }) {
  const { recipient, smtp, link } = data as { recipient?: string; smtp?: { text?: string } | null; link?: string };
  return (
    <Text size="sm" className="break">
      {[recipient, smtp?.text, link].filter(Boolean).join(' · ')}
    </Text>
  );
}

function Attempts({ email }: { email: Email }) {
  const attempts = email.attempts.nodes;
  if (attempts.length === 0) return null;
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        Delivery attempts
      </Title>
      <Card withBorder padding={0}>
        <Table.ScrollContainer minWidth={760}>
          <Table verticalSpacing="sm" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>#</Table.Th>
                <Table.Th>Recipient</Table.Th>
                <Table.Th>Outcome</Table.Th>
                <Table.Th>Host</Table.Th>
                <Table.Th>TLS</Table.Th>
                <Table.Th>Reply</Table.Th>
                <Table.Th>When</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {attempts.map(({ id, number, recipient, outcome, smtp, security, tlsPolicy, endedAt, sourceIp }) => (
                <Table.Tr key={id}>
                  <Table.Td>{number}</Table.Td>
                  <Table.Td className="break">{recipient}</Table.Td>
                  <Table.Td>
                    <Status value={outcome} />
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">{smtp?.mx ?? '–'}</Text>
                    <Text size="xs" c="dimmed">
                      {[smtp?.ip, sourceIp && `from ${sourceIp}`].filter(Boolean).join(' ')}
                    </Text>
                  </Table.Td>
                  <Table.Td>
                    <Text size="sm">{security ? security.version : 'none'}</Text>
                    <Text size="xs" c="dimmed">
                      {security ? `${security.policy}, ${security.verified ? 'verified' : 'not verified'}` : tlsPolicy}
                    </Text>
                  </Table.Td>
                  <Table.Td className="break" maw={320}>
                    {smtp ? [smtp.code, smtp.enhanced, smtp.text].filter(Boolean).join(' ') : '–'}
                  </Table.Td>
                  <Table.Td>
                    <Time at={endedAt} />
                  </Table.Td>
                </Table.Tr>
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
    </Stack>
  );
}
