import { Anchor, Button, Modal, MultiSelect, Switch, Text, TextInput } from '@mantine/core';
import { useDisclosure } from '@mantine/hooks';
import { IconPlus, IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { Link } from 'react-router';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { DomainsField, namesOf, type NamedDomain } from '../../components/domains-field.tsx';
import { Empty, Failure, Loading } from '../../components/feedback.tsx';
import { DialogForm, ShownOnce } from '../../components/form.tsx';
import { formatNumber, formatShare, Status, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { EVENT_TYPES } from '../../generated/constants.ts';
import { CreateWebhookDocument, WebhooksDocument, type WebhooksQuery } from '../../graphql/generated.ts';
import { FIGURES_EVERY_MS, LATE_S } from './figures.tsx';

export function WebhooksPage() {
  const { may } = useSession();
  const { data, error, refresh: reload } = useFreshQuery(WebhooksDocument, {}, FIGURES_EVERY_MS);
  const [opened, { open, close }] = useDisclosure();
  const add = may('webhooks.write') && (
    <Button leftSection={<IconPlus size={16} />} onClick={open}>
      Add webhook
    </Button>
  );
  return (
    <Page
      title="Webhooks"
      description="Endpoints that receive signed events as they happen, with retries."
      actions={add}
    >
      {error !== undefined && !data && <Failure error={error} retry={reload} />}
      {!data && !error && <Loading />}
      {data?.webhooks.length === 0 && (
        <Empty icon={IconWebhook} title="No webhooks yet" action={add}>
          A webhook tells your application about deliveries, bounces, complaints, opens and clicks.
        </Empty>
      )}
      {data && data.webhooks.length > 0 && (
        <DataTable label="Webhooks" fields={fieldsOf(data.domains)} rows={data.webhooks} keyOf={({ id }) => id} />
      )}
      <Modal opened={opened} onClose={close} title="Add webhook" closeOnClickOutside={false}>
        <CreateForm domains={data?.domains ?? []} created={reload} close={close} />
      </Modal>
    </Page>
  );
}

type Webhook = WebhooksQuery['webhooks'][number];

const fieldsOf = (domains: readonly NamedDomain[]): Field<Webhook>[] => [
  {
    title: 'URL',
    kind: 'heading',
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
    render: ({ events, domainIds }) => (
      <>
        <Text size="sm" lineClamp={2}>
          {events.includes('*') ? 'All events' : events.join(', ')}
        </Text>
        {domainIds && (
          <Text size="xs" c="dimmed" lineClamp={2}>
            from {namesOf(domainIds, domains).join(', ')}
          </Text>
        )}
      </>
    ),
  },
  {
    title: 'Last 24 hours',
    render: ({ figures: { last24Hours: day } }) => (
      <>
        {formatNumber(day.delivered)} delivered
        {day.successRate !== null && (
          <Text size="xs" c="dimmed">
            {formatShare(day.successRate)} of calls succeed
          </Text>
        )}
      </>
    ),
  },
  {
    title: 'Waiting',
    render: ({ figures: { pending, lagSeconds } }) => (
      <>
        {formatNumber(pending)}
        {lagSeconds >= LATE_S && (
          <Text size="xs" c="orange">
            {Math.round(lagSeconds)} s late
          </Text>
        )}
      </>
    ),
  },
  { title: 'Added', render: ({ createdAt }) => <Time at={createdAt} /> },
];

/** The restriction of a webhook to domains. */
export const DOMAINS = { label: 'Domains', description: 'Only events of messages from these domains.' };

interface CreateFormProps {
  domains: readonly NamedDomain[];
  created: () => void;
  close: () => void;
}

function CreateForm({ domains, created, close }: CreateFormProps) {
  const create = useOperation(CreateWebhookDocument);
  const [url, setUrl] = useState('');
  const [events, setEvents] = useState<string[]>([]);
  const [domainIds, setDomainIds] = useState<string[] | null>(null);
  const [includeBots, setIncludeBots] = useState(false);
  const [secret, setSecret] = useState<string | null>(null);
  if (secret !== null) return <NewSecret secret={secret} close={close} />;
  const save = async () => {
    const { createWebhook } = await create({
      input: { url, events: events.length > 0 ? events : ['*'], domainIds, includeBots },
    });
    setSecret(createWebhook.secret);
    created();
  };
  return (
    <DialogForm action="Add" save={save}>
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
      <DomainsField {...DOMAINS} domains={domains} value={domainIds} onChange={setDomainIds} />
      <Switch
        label="Include opens and clicks by bots"
        checked={includeBots}
        onChange={(event) => setIncludeBots(event.currentTarget.checked)}
      />
    </DialogForm>
  );
}

/** A signing secret, which is shown once. */
export function NewSecret({ secret, close }: { secret: string; close: () => void }) {
  return (
    <ShownOnce
      title="Copy the signing secret now"
      text="It won't be shown again. Use it to verify the header webhook-signature of each call."
      value={secret}
      label="Copy the secret"
      close={close}
    />
  );
}
