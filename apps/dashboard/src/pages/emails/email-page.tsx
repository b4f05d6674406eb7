import { Anchor, Badge, Button, Card, Code, Grid, Group, Stack, Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useEffect, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery, useSubscription } from 'urql';
import { fetchText } from '../../api/http.ts';
import { useLoad } from '../../api/use-load.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { Copyable, ExactTime, Status } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { EmailDocument, EmailEventsDocument, type EmailQuery } from '../../graphql/generated.ts';
import { MessageView } from '../messages/message-view.tsx';
import { NotFoundPage } from '../not-found-page.tsx';
import { EmailActions } from './email-actions.tsx';
import { Attempts, History } from './history.tsx';
import { Recipients } from './recipients.tsx';

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
  const [captured] = data.capturedEmails.nodes;
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
          <Copyable value={email.id} label="Copy ID" />
        </Group>
      }
      actions={
        <>
          {captured && (
            <Button
              component={Link}
              to={`/captured/${email.id}`}
              variant="default"
              leftSection={<IconInbox size={16} />}
            >
              View in Captured
            </Button>
          )}
          <EmailActions email={email} refresh={() => refresh({ requestPolicy: 'network-only' })} />
        </>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Recipients email={email} />
            <Content email={email} />
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

function Content({ email: { id, html, text, attachments, createdAt } }: { email: Email }) {
  const source = useLoad(id, () => fetchText(`/app/message/${id}/source`));
  if (html === null && text === null && attachments.length === 0)
    return (
      <Card withBorder>
        <Text c="dimmed" size="sm">
          The content of this email is no longer stored.
        </Text>
      </Card>
    );
  return (
    <Card withBorder>
      <MessageView message={{ emailId: id, html, text, attachments, createdAt, source, isFinal: false }} />
    </Card>
  );
}

function Facts({ email }: { email: Email }) {
  return (
    <Card withBorder>
      <Stack gap={6}>
        {factsOf(email)
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
      </Stack>
    </Card>
  );
}

function factsOf(email: Email): [string, ReactNode][] {
  const { tracking, retryOf, domain } = email;
  return [
    ['From', email.from],
    ['To', email.to.join(', ')],
    ['Cc', email.cc.join(', ')],
    ['Bcc', email.bcc.join(', ')],
    ['Reply-To', email.replyTo.join(', ')],
    [
      'Domain',
      domain && (
        <Anchor component={Link} to={`/domains/${domain.id}`} size="sm">
          {domain.name}
        </Anchor>
      ),
    ],
    ['Accepted', <ExactTime key="at" at={email.createdAt} />],
    ['Scheduled', email.scheduledAt && <ExactTime key="at" at={email.scheduledAt} />],
    ['Delivered', email.deliveredAt && <ExactTime key="at" at={email.deliveredAt} />],
    ['Message-ID', <Code key="id">{email.messageId}</Code>],
    ['Tags', email.tags.map(({ key, value }) => `${key}: ${value}`).join(', ')],
    ['Tracking', tracking && [tracking.opens && 'opens', tracking.clicks && 'clicks'].filter(Boolean).join(', ')],
    [
      'Retry of',
      retryOf && (
        <Anchor component={Link} to={`/emails/${retryOf}`} size="sm">
          {retryOf}
        </Anchor>
      ),
    ],
  ];
}
