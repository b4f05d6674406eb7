import { Group, MultiSelect, Select, Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useOperation } from '../../api/use-operation.ts';
import { DateTimeInput } from '../../components/date-time-input.tsx';
import { notifyDone } from '../../components/feedback.tsx';
import { DialogForm, FormField } from '../../components/form.tsx';
import { formatNumber, Status, Time } from '../../components/format.tsx';
import { DELIVERY_STATUSES, EVENT_TYPES } from '../../generated/constants.ts';
import { ReplayWebhookDocument, WebhookReplaysDocument, type WebhookDeliveryStatus } from '../../graphql/generated.ts';

const HOUR_MS = 3_600_000;

/** Delivers all events of a period again, in the background. */
export function openReplayRange(webhookId: string, changed: () => void): void {
  modals.open({ title: 'Replay a period', children: <ReplayForm webhookId={webhookId} changed={changed} /> });
}

function ReplayForm({ webhookId, changed }: { webhookId: string; changed: () => void }) {
  const replay = useOperation(ReplayWebhookDocument);
  const [from, setFrom] = useState(() => new Date(Date.now() - HOUR_MS).toISOString());
  const [to, setTo] = useState(() => new Date().toISOString());
  const [status, setStatus] = useState<WebhookDeliveryStatus | null>('failed');
  const [types, setTypes] = useState<string[]>([]);
  const [{ data }, refresh] = useQuery({
    query: WebhookReplaysDocument,
    variables: { webhookId },
    requestPolicy: 'network-only',
  });
  const start = async () => {
    await replay({ id: webhookId, input: { from, to, status, types: types.length > 0 ? types : null } });
    refresh({ requestPolicy: 'network-only' });
    notifyDone('The events are being delivered again in the background.');
    changed();
  };
  return (
    <Stack>
      <DialogForm action="Replay" save={start}>
        <FormField name="from">
          <DateTimeInput label="From" value={from} onChange={setFrom} />
        </FormField>
        <FormField name="to">
          <DateTimeInput label="To" value={to} onChange={setTo} />
        </FormField>
        <FormField name="status">
          <Select
            label="Deliveries"
            placeholder="All"
            clearable
            data={DELIVERY_STATUSES}
            value={status}
            onChange={(value) => setStatus(value)}
          />
        </FormField>
        <FormField name="types">
          <MultiSelect
            label="Events"
            placeholder={types.length > 0 ? undefined : 'All events'}
            searchable
            data={EVENT_TYPES}
            value={types}
            onChange={setTypes}
          />
        </FormField>
      </DialogForm>
      {data?.webhookReplays.nodes.map(({ id, status: state, queued, skipped, createdAt }) => (
        <Group key={id} justify="space-between" gap="xs">
          <Text size="sm">
            <Time at={createdAt} />: {formatNumber(queued)} queued, {formatNumber(skipped)} skipped
          </Text>
          <Status value={state} />
        </Group>
      ))}
    </Stack>
  );
}
