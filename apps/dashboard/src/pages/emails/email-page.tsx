import { Anchor, Badge, Button, Card, Code, Grid, Group, Stack, Text } from '@mantine/core';
import { IconInbox } from '@tabler/icons-react';
import { useCallback, useEffect, type ReactNode } from 'react';
import { Link, useParams } from 'react-router';
import { useQuery, useSubscription } from 'urql';
import { fetchText } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
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

/** In each of the facts. */
const SHOWN_ADDRESSES = 5;

type Email = NonNullable<EmailQuery['email']>;

/** The email, reloaded after each of its events; `content` is false for a role that sees its state only. */
function useEmail(id: string, content: boolean) {
  const [{ data, error, fetching }, reload] = useQuery({ query: EmailDocument, variables: { id, content } });
  const [{ data: event }] = useSubscription({
    query: EmailEventsDocument,
    variables: { emailId: id },
    pause: !content,
  });
  const latest = event?.emailEvents.id;
  const refresh = useCallback(() => reload({ requestPolicy: 'network-only' }), [reload]);
  useEffect(() => {
    if (latest !== undefined) refresh();
  }, [latest, refresh]);
  return { data, error, fetching, refresh };
}

export function EmailPage() {
  const { id = '' } = useParams();
  const content = useSession().may('emails.read');
  const { data, error, fetching, refresh } = useEmail(id, content);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return fetching ? <Loading /> : null;
  if (!data.email) return <NotFoundPage />;
  const { email } = data;
  const [captured] = data.capturedEmails?.nodes ?? [];
  return (
    <Page
      title={titleOf(email, content)}
      parent={{ label: 'Emails', path: '/emails' }}
      description={<State email={email} />}
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
          <EmailActions email={email} refresh={refresh} />
        </>
      }
    >
      <Grid gap="lg">
        <Grid.Col span={{ base: 12, md: 8 }}>
          <Stack gap="lg">
            <Recipients email={email} />
            {content ? <Content email={email} /> : <HiddenContent />}
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

const titleOf = ({ subject }: Email, content: boolean): string => subject || (content ? '(no subject)' : 'Email');

function State({ email: { id, mode, status } }: { email: Email }) {
  return (
    <Group gap="xs">
      <Status value={status} />
      {mode === 'test' && (
        <Badge color="dark" variant="outline">
          test
        </Badge>
      )}
      <Copyable value={id} label="Copy ID" />
    </Group>
  );
}

function HiddenContent() {
  return (
    <Card withBorder>
      <Text c="dimmed" size="sm">
        Your role shows what became of this email, but not its subject, content and events.
      </Text>
    </Card>
  );
}

function Content({ email: { id, html = null, text = null, attachments = [], createdAt } }: { email: Email }) {
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

/** Recipients in full are beside the facts. */
const addressesOf = (addresses: readonly string[]): string =>
  addresses.length <= SHOWN_ADDRESSES
    ? addresses.join(', ')
    : `${addresses.slice(0, SHOWN_ADDRESSES - 1).join(', ')} and ${addresses.length - SHOWN_ADDRESSES + 1} more`;

function factsOf(email: Email): [string, ReactNode][] {
  const { tracking, priority, retryOf, domain } = email;
  return [
    ['From', email.from],
    ['To', addressesOf(email.to)],
    ['Cc', addressesOf(email.cc)],
    ['Bcc', addressesOf(email.bcc)],
    ['Reply-To', addressesOf(email.replyTo)],
    [
      'Domain',
      domain && (
        <Anchor component={Link} to={`/domains/${domain.id}`} size="sm" className="target">
          {domain.name}
        </Anchor>
      ),
    ],
    ['Accepted', <ExactTime key="at" at={email.createdAt} />],
    ['Scheduled', email.scheduledAt && <ExactTime key="at" at={email.scheduledAt} />],
    ['Delivered', email.deliveredAt && <ExactTime key="at" at={email.deliveredAt} />],
    ['Message-ID', <Code key="id">{email.messageId}</Code>],
    ['Tags', email.tags.map(({ key, value }) => `${key}: ${value}`).join(', ')],
    ['Priority', priority === 'bulk' && 'bulk, after the transactional emails of the account'],
    ['Tracking', tracking && [tracking.opens && 'opens', tracking.clicks && 'clicks'].filter(Boolean).join(', ')],
    [
      'Retry of',
      retryOf && (
        <Anchor component={Link} to={`/emails/${retryOf}`} size="sm" className="target">
          {retryOf}
        </Anchor>
      ),
    ],
  ];
}
