import { Alert, Anchor, Button, Group, Modal, MultiSelect, Stack, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconAlertTriangle, IconPlus, IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useQuery } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { Empty, Failure, Loading, notifyFailed } from '../../components/feedback.tsx';
import { Copyable, Status, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { CreateWebhookDocument, WebhooksDocument, type WebhooksQuery } from '../../graphql/generated.ts';
import { EVENT_TYPES } from './event-types.ts';

export function WebhooksPage() {
  const { may } = useSession();
  const [{ data, error }, refresh] = useQuery({ query: WebhooksDocument, requestPolicy: 'cache-and-network' });
  const [opened, { open, close }] = useDisclosure();
  const reload = () => refresh({ requestPolicy: 'network-only' });
  const add = may('webhooks.write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Add a webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      description="Endpoints that are called for every event they ask for, signed and retried."
      actions={add}
    >
      {error && !data && <Failure error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data?.webhooks.length === 0 && (
        <Empty icon={IconWebhook} title="No webhooks yet" action={add}>
          A webhook tells your application about deliveries, bounces, complaints, opens and clicks.
        </Empty>
      )}
      {data && data.webhooks.length > 0 && (
        <DataTable label="Webhooks" fields={FIELDS} rows={data.webhooks} keyOf={({ id }) => id} />
      )}
      <Modal opened={opened} onClose={close} title="Add a webhook" closeOnClickOutside={false}>
        <CreateForm created={reload} close={close} />
      </Modal>
    </Page>
  );
}

type Webhook = WebhooksQuery['webhooks'][number];

const FIELDS: Field<Webhook>[] = [
  {
    title: 'URL',
    hideTitle: true,
    maxWidth: 360,
    render: ({ id, url }) => (
      <Anchor component={Link} to={`/webhooks/${id}`} size="sm" fw={500} className="break">
        {url}
      </Anchor>
    ),
  },
  {
    title: 'Status',
    render: ({ status, disabledReason, failingSince }) => (
      <>
        <Status value={status} />
        <Text size="xs" c="dimmed">
          {disabledReason ??
            (failingSince && (
              <>
                failing since <Time at={failingSince} />
              </>
            ))}
        </Text>
      </>
    ),
  },
  {
    title: 'Events',
    maxWidth: 260,
    render: ({ events }) => (
      <Text size="sm" lineClamp={2}>
        {events.includes('*') ? 'all' : events.join(', ')}
      </Text>
    ),
  },
  { title: 'Added', render: ({ createdAt }) => <Time at={createdAt} /> },
];

function CreateForm({ created, close }: { created: () => void; close: () => void }) {
  const create = useOperation(CreateWebhookDocument);
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const [includeBots, setIncludeBots] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  const [busy, setBusy] = useState(false);
  if (secret !== null) return <NewSecret secret={secret} close={close} />;
  const save = async () => {
    const { createWebhook } = await create({ input: { url, events: events.length > 0 ? events : ['*'], includeBots } });
    setSecret(createWebhook.secret);
    created();
  };
  const submit = () => {
    setBusy(true);
    save()
      .catch(notifyFailed)
      .finally(() => setBusy(false));
  };
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault();
        submit();
      }}
    >
      <Stack>
        <TextInput
          label="URL"
          type="url"
          placeholder="https://example.com/webhooks/postloft"
          required
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
        <MultiSelect
          label="Events"
          placeholder={events.length > 0 ? undefined : 'All events'}
          searchable
          data={EVENT_TYPES}
          value={events}
          onChange={setEvents}
        />
        <Switch
          label="Opens and clicks of bots too"
          checked={includeBots}
          onChange={(event) => setIncludeBots(event.currentTarget.checked)}
        />
        <Group justify="flex-end">
          <Button type="submit" loading={busy}>
            Add
          </Button>
        </Group>
      </Stack>
    </form>
  );
}

/** A signing secret, which is shown once. */
export function NewSecret({ secret, close }: { secret: string; close: () => void }) {
  return (
    <Stack>
      <Alert color="yellow" icon={<IconAlertTriangle />} title="Copy the signing secret now">
        It is not shown again. Your endpoint checks the header webhook-signature with it.
      </Alert>
      <Copyable value={secret} label="Copy the secret" />
      <Group justify="flex-end">
        <Button onClick={close}>Done</Button>
      </Group>
    </Stack>
  );
}
