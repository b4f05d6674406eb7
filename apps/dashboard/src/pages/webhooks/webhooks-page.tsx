import { MultiSelect, Switch, TextInput } from '@mantine/core';
import { IconWebhook } from '@tabler/icons-react';
import { useState } from 'react';
import { rowsOf } from '../../api/use-connection.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { DomainsField, namesOf, type NamedDomain } from '../../components/domains-field.tsx';
import { DialogForm, FormField, ShownOnce } from '../../components/form.tsx';
import { formatNumber, formatShare, Status, Time } from '../../components/format.tsx';
import { DialogButton, ListPage } from '../../components/list-page.tsx';
import { Note, type Column } from '../../components/list.tsx';
import { DISABLED_BECAUSE, EVENT_TYPES } from '../../generated/constants.ts';
import { CreateWebhookDocument, WebhooksDocument, type WebhooksQuery } from '../../graphql/generated.ts';
import { FIGURES_EVERY_MS, LATE_S } from './figures.tsx';
import { stateOf } from './state.ts';

type Webhook = WebhooksQuery['webhooks'][number];

const columnsFor = (domains: readonly NamedDomain[] = []): Column<Webhook>[] => [
  { title: 'URL', width: 'minmax(0, 3fr)', render: ({ url }) => url },
  { title: 'Status', width: '190px', render: (webhook) => <State webhook={webhook} /> },
  {
    title: 'Events',
    width: 'minmax(0, 2fr)',
    from: 'sm',
    render: ({ events, domainIds }) => (
      <>
        {events.includes('*') ? 'All events' : events.join(', ')}
        {domainIds && <Note>from {namesOf(domainIds, domains).join(', ')}</Note>}
      </>
    ),
  },
  {
    title: 'Last 24 hours',
    width: '170px',
    from: 'md',
    render: ({ figures: { last24Hours: day } }) => (
      <>
        {formatNumber(day.delivered)} delivered
        {day.successRate !== null && <Note>{formatShare(day.successRate)} of calls succeed</Note>}
      </>
    ),
  },
  {
    title: 'Waiting',
    width: '80px',
    from: 'sm',
    render: ({ figures: { pending, lagSeconds } }) => (
      <>
        {formatNumber(pending)}
        {lagSeconds >= LATE_S && <Note color="orange">{Math.round(lagSeconds)} s late</Note>}
      </>
    ),
  },
];

function State({ webhook }: { webhook: Webhook }) {
  const { disabledReason, failingSince } = webhook;
  return (
    <>
      <Status value={stateOf(webhook)} />
      {disabledReason !== null && <Note>{DISABLED_BECAUSE[disabledReason]}</Note>}
      {disabledReason === null && failingSince && (
        <Note>
          since <Time at={failingSince} />
        </Note>
      )}
    </>
  );
}

export function WebhooksPage() {
  const fresh = useFreshQuery(WebhooksDocument, {}, FIGURES_EVERY_MS);
  const domains = fresh.data?.domains;
  const add = (
    <DialogButton
      label="Add webhook"
      needs="webhooks.write"
      closeOnClickOutside={false}
      form={(close) => <CreateForm domains={domains ?? []} created={fresh.refresh} close={close} />}
    />
  );
  return (
    <ListPage
      title="Webhooks"
      description="Endpoints that receive signed events as they happen, with retries."
      actions={add}
      label="Webhooks"
      list={rowsOf(fresh, ({ webhooks }) => webhooks, fresh.refresh)}
      columns={columnsFor(domains)}
      second={({ figures: { pending, last24Hours: day } }) => [
        `${formatNumber(day.delivered)} delivered in 24 h`,
        `${formatNumber(pending)} waiting`,
      ]}
      linkTo={({ id }) => `/webhooks/${id}`}
      empty={{
        icon: IconWebhook,
        title: 'No webhooks yet',
        text: 'A webhook tells your application about deliveries, bounces, complaints, opens and clicks.',
        action: add,
      }}
    />
  );
}

/** The restriction of a webhook to domains. */
export const DOMAINS = { label: 'Domains', description: 'Only events of emails from these domains.' };

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
      <FormField name="url">
        <TextInput
          label="URL"
          type="url"
          placeholder="https://example.com/webhooks/postloft"
          required
          data-autofocus
          value={url}
          onChange={(event) => setUrl(event.currentTarget.value)}
        />
      </FormField>
      <FormField name="events">
        <MultiSelect
          label="Events"
          placeholder={events.length > 0 ? undefined : 'All events'}
          searchable
          data={EVENT_TYPES}
          value={events}
          onChange={setEvents}
        />
      </FormField>
      <FormField name="domainIds">
        <DomainsField {...DOMAINS} domains={domains} value={domainIds} onChange={setDomainIds} />
      </FormField>
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
