import { Anchor, Button, Group, List, Stack, Tabs, Text, ThemeIcon, Timeline, Title } from '@mantine/core';
import { IconCheck, IconKey, IconMail, IconSend, IconWorld, type Icon } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { Link } from 'react-router';
import { useSubscription } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { useOperation } from '../../api/use-operation.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Failure, Loading } from '../../components/feedback.tsx';
import { Copyable } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { useChange } from '../../components/use-change.ts';
import {
  CreateApiKeyDocument,
  EmailEventsDocument,
  GettingStartedDocument,
  type GettingStartedQuery,
} from '../../graphql/generated.ts';
import { FirstMessage } from './first-message.tsx';
import { LANGUAGES, snippet, type SnippetValues } from './snippets.ts';

export function GettingStartedPage() {
  const { data, error, refresh } = useFreshQuery(GettingStartedDocument, {});
  const [{ data: event }] = useSubscription({ query: EmailEventsDocument, variables: {} });
  const latest = event?.emailEvents.id;
  useEffect(() => {
    if (latest !== undefined) refresh();
  }, [latest, refresh]);
  const [token, setToken] = useState<string | null>(null);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  return (
    <Page title="Getting started" description="Verify a domain, create an API key and send your first email.">
      <Steps data={data} token={token} created={setToken} />
    </Page>
  );
}

interface StepsProps {
  data: GettingStartedQuery;
  token: string | null;
  created: (token: string) => void;
}

function Steps({ data: { account, domains, apiKeys, emails, delivered }, token, created }: StepsProps) {
  const { may } = useSession();
  const verified = domains.filter(({ status }) => status === 'active').map(({ name }) => name);
  const [active] = verified;
  const [first] = emails.nodes;
  const done = [active !== undefined, apiKeys.length > 0, first !== undefined, delivered.nodes.length > 0];
  const open = done.indexOf(false);
  return (
    <Timeline active={open < 0 ? done.length : open - 1} bulletSize={28} lineWidth={2}>
      <Timeline.Item bullet={<Bullet done={done[0]} icon={IconWorld} />} title={<StepTitle>Verify a domain</StepTitle>}>
        <DomainStep domains={domains} />
      </Timeline.Item>
      <Timeline.Item bullet={<Bullet done={done[1]} icon={IconKey} />} title={<StepTitle>Create an API key</StepTitle>}>
        <KeyStep count={apiKeys.length} token={token} created={created} />
      </Timeline.Item>
      <Timeline.Item bullet={<Bullet done={done[2]} icon={IconSend} />} title={<StepTitle>Send an email</StepTitle>}>
        {may('emails.send') && <FirstMessage domains={verified} account={account} />}
        <Text size="sm" mb="xs">
          Or send it from your application, with your own values:
        </Text>
        <SendStep
          relay={account.smtpRelay}
          domain={active ?? domains[0]?.name ?? 'example.com'}
          token={token ?? 'pl_live_…'}
        />
      </Timeline.Item>
      <Timeline.Item bullet={<Bullet done={done[3]} icon={IconMail} />} title={<StepTitle>See it arrive</StepTitle>}>
        <ArriveStep email={first} />
      </Timeline.Item>
    </Timeline>
  );
}

function Bullet({ done, icon: Symbol }: { done: boolean; icon: Icon }) {
  return (
    <ThemeIcon
      size={28}
      radius="xl"
      color={done ? 'teal' : 'gray'}
      variant={done ? 'filled' : 'light'}
      role="img"
      aria-label={done ? 'Done' : 'Open'}
    >
      {done ? <IconCheck size={16} /> : <Symbol size={16} />}
    </ThemeIcon>
  );
}

const StepTitle = ({ children }: { children: string }) => (
  <Title order={2} size="h4">
    {children}
  </Title>
);

function DomainStep({ domains }: { domains: GettingStartedQuery['domains'] }) {
  if (domains.length === 0)
    return (
      <Stack gap="xs" mb="md">
        <Text size="sm">Emails are sent from your own domains. Add one and publish its DNS records.</Text>
        <Group>
          <Button component={Link} to="/domains">
            Add domain
          </Button>
        </Group>
      </Stack>
    );
  return (
    <List size="sm" mb="md">
      {domains.slice(0, 5).map(({ id, name, status }) => (
        <List.Item key={id}>
          <Anchor component={Link} to={`/domains/${id}`} size="sm" underline="always">
            {name}
          </Anchor>{' '}
          {status === 'active' ? 'is verified.' : 'is waiting for its DNS records.'}
        </List.Item>
      ))}
    </List>
  );
}

interface KeyStepProps {
  count: number;
  token: string | null;
  created: (token: string) => void;
}

function KeyStep({ count, token, created }: KeyStepProps) {
  const { may } = useSession();
  const create = useOperation(CreateApiKeyDocument);
  const [busy, change] = useChange();
  const run = async () => {
    const { createApiKey } = await create({ input: { name: 'Getting started', permission: 'sending_access' } });
    created(createApiKey.token);
  };
  if (token !== null)
    return (
      <Stack gap={4} mb="md">
        <Text size="sm">
          Copy this key now: it won't be shown again. The examples below contain it while this page is open.
        </Text>
        <Copyable value={token} label="Copy the key" />
      </Stack>
    );
  return (
    <Stack gap="xs" mb="md">
      <Text size="sm">
        {count === 0
          ? 'Applications authenticate with a key.'
          : `You have ${count} ${count === 1 ? 'key' : 'keys'}. A key is shown only when it is created.`}
      </Text>
      {may('api_keys.write') && (
        <Group>
          <Button onClick={() => change(run)} loading={busy} variant={count === 0 ? 'filled' : 'default'}>
            Create sending key
          </Button>
        </Group>
      )}
    </Stack>
  );
}

function SendStep(props: Omit<SnippetValues, 'baseUrl'>) {
  const values = { baseUrl: window.location.origin, ...props };
  return (
    <Tabs defaultValue={LANGUAGES[0]} mb="md" keepMounted={false}>
      <Tabs.List mb="sm">
        {LANGUAGES.map((language) => (
          <Tabs.Tab key={language} value={language}>
            {language}
          </Tabs.Tab>
        ))}
      </Tabs.List>
      {LANGUAGES.map((language) => (
        <Tabs.Panel key={language} value={language}>
          <CodeBlock label={`${language} example`} code={snippet(language, values)} />
        </Tabs.Panel>
      ))}
    </Tabs>
  );
}

function ArriveStep({ email }: { email: GettingStartedQuery['emails']['nodes'][number] | undefined }) {
  if (!email) return <Text size="sm">Your email appears here as soon as it is accepted.</Text>;
  return (
    <Text size="sm">
      <Anchor component={Link} to={`/emails/${email.id}`} size="sm" underline="always">
        The last email
      </Anchor>{' '}
      is {email.status}.
    </Text>
  );
}
