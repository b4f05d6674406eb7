import { Alert, Button, Card, Group, MultiSelect, Stack, Switch, Title } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconAlertTriangle, IconBolt, IconTrash } from '@tabler/icons-react';
import { useEffect } from 'react';
import { useNavigate, useParams } from 'react-router';
import { useSession } from '../../api/session.tsx';
import { useConnection } from '../../api/use-connection.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { confirm } from '../../components/confirm.tsx';
import { DomainsField, type NamedDomain } from '../../components/domains-field.tsx';
import { Empty, Failure, Loading, notifyDone } from '../../components/feedback.tsx';
import { SelectFilter, useFilters } from '../../components/filters.tsx';
import { Copyable, ExactTime, Status, Time } from '../../components/format.tsx';
import { List, Note, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { useChange } from '../../components/use-change.ts';
import { useSaved } from '../../components/use-saved.ts';
import { DELIVERY_STATUSES, EVENT_TYPES } from '../../generated/constants.ts';
import {
  DeleteWebhookDocument,
  RotateWebhookSecretDocument,
  TestWebhookDocument,
  UpdateWebhookDocument,
  WebhookDeliveriesDocument,
  WebhookDocument,
  type UpdateWebhookInput,
  type WebhookDeliveriesQuery,
  type WebhookDeliveryStatus,
  type WebhookPartsFragment,
} from '../../graphql/generated.ts';
import { NotFoundPage } from '../not-found-page.tsx';
import { callResult } from './call-result.ts';
import { DeliveryDetail } from './delivery-detail.tsx';
import { Figures, FIGURES_EVERY_MS } from './figures.tsx';
import { openReplayRange } from './replay-range.tsx';
import { hostOf, stateOf, untilNextCall } from './state.ts';
import { DOMAINS, NewSecret } from './webhooks-page.tsx';

type Delivery = NonNullable<WebhookDeliveriesQuery['webhook']>['deliveries']['nodes'][number];

const OVERLAP_HOURS = 24;

const COLUMNS: Column<Delivery>[] = [
  {
    title: 'Event',
    width: 'minmax(0, 2fr)',
    render: ({ type, payload }) => (
      <>
        {type}
        <Note>{subjectOf(payload)}</Note>
      </>
    ),
  },
  {
    title: 'Status',
    width: '150px',
    render: ({ status, attempts, nextAttemptAt }) => (
      <>
        <Status value={status} />
        {attempts > 0 && nextAttemptAt && (
          <Note>
            next call <Time at={nextAttemptAt} />
          </Note>
        )}
      </>
    ),
  },
  { title: 'Calls', width: '60px', from: 'sm', render: ({ attempts }) => attempts },
  {
    title: 'Response',
    width: 'minmax(0, 1fr)',
    from: 'sm',
    render: ({ lastStatus, lastError }) => callResult(lastStatus, lastError),
  },
  { title: 'When', width: '130px', from: 'sm', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function WebhookPage() {
  const { id = '' } = useParams();
  const { data, error, refresh } = useFreshQuery(WebhookDocument, { id }, FIGURES_EVERY_MS);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  if (!data.webhook) return <NotFoundPage />;
  const { webhook } = data;
  return (
    <Page
      title={hostOf(webhook.url)}
      parent={{ label: 'Webhooks', path: '/webhooks' }}
      description={
        <Group gap="xs">
          <Status value={stateOf(webhook)} />
          <Copyable value={webhook.url} label="Copy URL" />
          <Copyable value={webhook.id} label="Copy ID" />
        </Group>
      }
    >
      {webhook.failingSince && (
        <Alert color="yellow" icon={<IconAlertTriangle />} title="Calls are failing">
          No call has succeeded since <ExactTime at={webhook.failingSince} />. After three days of failures the webhook
          is disabled.
        </Alert>
      )}
      <Figures figures={webhook.figures} />
      <Settings webhook={webhook} domains={data.domains} />
      <Deliveries webhook={webhook} />
    </Page>
  );
}

interface SettingsProps {
  webhook: WebhookPartsFragment;
  domains: readonly NamedDomain[];
}

function Settings({ webhook, domains }: SettingsProps) {
  const { id, url, events, domainIds, includeBots, status, previousSecretExpiresAt } = webhook;
  const { may } = useSession();
  const navigate = useNavigate();
  const update = useOperation(UpdateWebhookDocument);
  const rotate = useOperation(RotateWebhookSecretDocument);
  const remove = useOperation(DeleteWebhookDocument);
  const { save: saveOf, refusalOf } = useSaved();
  // Not while a change is running: a control that is disabled loses the focus.
  const disabled = !may('webhooks.write');
  const save = (name: string, label: string, input: UpdateWebhookInput) =>
    saveOf({ name, label }, () => update({ id, input }));
  const newSecret = async () => {
    const { rotateWebhookSecret } = await rotate({ id, input: { overlapHours: OVERLAP_HOURS } });
    modals.open({
      title: 'New signing secret',
      children: <NewSecret secret={rotateWebhookSecret.secret} close={modals.closeAll} />,
    });
  };
  return (
    <Card withBorder padding="lg">
      <Stack>
        <Switch
          label="Enabled"
          disabled={disabled}
          checked={status === 'enabled'}
          error={refusalOf('status')}
          onChange={(event) =>
            save('status', 'Enabled', { status: event.currentTarget.checked ? 'enabled' : 'disabled' })
          }
        />
        <MultiSelect
          label="Events"
          placeholder={events.includes('*') ? 'All events' : undefined}
          disabled={disabled}
          searchable
          data={EVENT_TYPES}
          value={events.filter((type) => type !== '*')}
          error={refusalOf('events')}
          onChange={(types) => save('events', 'Events', { events: types.length > 0 ? types : ['*'] })}
        />
        <DomainsField
          {...DOMAINS}
          domains={domains}
          disabled={disabled}
          value={domainIds}
          error={refusalOf('domainIds')}
          onChange={(ids) => save('domainIds', DOMAINS.label, { domainIds: ids })}
        />
        <Switch
          label="Include opens and clicks by bots"
          disabled={disabled}
          checked={includeBots ?? false}
          error={refusalOf('includeBots')}
          onChange={(event) => save('includeBots', 'Bots', { includeBots: event.currentTarget.checked })}
        />
        {previousSecretExpiresAt && (
          <Alert>
            Calls are also signed with the previous secret until <ExactTime at={previousSecretExpiresAt} />.
          </Alert>
        )}
        {may('webhooks.write') && (
          <Group>
            <Button
              variant="default"
              onClick={() =>
                confirm({
                  title: 'Rotate the signing secret?',
                  text: `Calls are signed with both secrets for ${OVERLAP_HOURS} hours.`,
                  confirm: 'Rotate',
                  run: newSecret,
                })
              }
            >
              Rotate secret
            </Button>
            <Button
              variant="light"
              color="red"
              leftSection={<IconTrash size={16} />}
              onClick={() =>
                confirm({
                  title: 'Delete this webhook?',
                  text: `${url} will no longer be called, and its delivery history is deleted.`,
                  confirm: 'Delete webhook',
                  run: async () => {
                    await remove({ id });
                    notifyDone('The webhook has been deleted.');
                    await navigate('/webhooks');
                  },
                })
              }
            >
              Delete
            </Button>
          </Group>
        )}
      </Stack>
    </Card>
  );
}

function Deliveries({ webhook: { id } }: { webhook: WebhookPartsFragment }) {
  const { may } = useSession();
  const filters = useFilters(['status']);
  const status = filters.values.status as WebhookDeliveryStatus | null;
  const list = useConnection(
    WebhookDeliveriesDocument,
    { id, filter: status === null ? null : { status } },
    ({ webhook }) => webhook?.deliveries ?? NONE,
  );
  const { nodes, onFirstPage, reload } = list;
  useEffect(() => {
    const delay = onFirstPage ? untilNextCall(nodes, Date.now()) : null;
    if (delay === null) return undefined;
    const timer = window.setTimeout(reload, delay);
    return () => window.clearTimeout(timer);
  }, [nodes, onFirstPage, reload]);
  const test = useOperation(TestWebhookDocument);
  const [busy, change] = useChange();
  const sendTest = async () => {
    await test({ id });
    reload();
  };
  return (
    <Stack gap="xs">
      <Group justify="space-between">
        <Title order={2} size="h4">
          Deliveries
        </Title>
        <Group gap="xs">
          <SelectFilter
            filters={filters}
            name="status"
            label="Status"
            placeholder="Any status"
            data={DELIVERY_STATUSES}
            w={130}
          />
          {may('webhooks.write') && (
            <Button size="xs" variant="default" onClick={() => openReplayRange(id, reload)}>
              Replay a period
            </Button>
          )}
          {may('webhooks.write') && (
            <Button
              size="xs"
              variant="default"
              leftSection={<IconBolt size={14} />}
              loading={busy}
              onClick={() => change(sendTest, 'A test event is on its way.')}
            >
              Send test event
            </Button>
          )}
        </Group>
      </Group>
      <List
        label="Deliveries"
        list={list}
        columns={COLUMNS}
        second={({ lastError, lastStatus, createdAt }) => [
          callResult(lastStatus, lastError),
          <Time key="at" at={createdAt} />,
        ]}
        keyOf={({ deliveryId }) => deliveryId}
        dialog={({ id: eventId, type }) => ({
          title: type,
          children: <DeliveryDetail webhookId={id} eventId={eventId} changed={reload} />,
        })}
        empty={
          <Empty icon={IconBolt} title="No deliveries">
            Deliveries of the last 30 days appear here, with every call and its response.
          </Empty>
        }
      />
    </Stack>
  );
}

/** Whom or what an event is about: its recipient, or the name of a domain. */
function subjectOf(payload: unknown): string {
  const { data } = payload as { data?: { recipient?: string; email?: string; name?: string } };
  return data?.recipient ?? data?.email ?? data?.name ?? '';
}

const NONE = { nodes: [], pageInfo: { hasNextPage: false, endCursor: null } };
