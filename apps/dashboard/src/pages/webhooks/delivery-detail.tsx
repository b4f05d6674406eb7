import { Button, Card, Code, Group, Stack, Text } from '@mantine/core';
import { IconRepeat } from '@tabler/icons-react';
import { useQuery } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useOperation } from '../../api/use-operation.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Failure, Loading } from '../../components/feedback.tsx';
import { Copyable, ExactTime, Status } from '../../components/format.tsx';
import { useChange } from '../../components/use-change.ts';
import { callResult } from './call-result.ts';
import { ReplayWebhookEventDocument, WebhookDeliveryDocument } from '../../graphql/generated.ts';

interface DeliveryDetailProps {
  webhookId: string;
  eventId: string;
  /** Called after the event has been queued again. */
  changed: () => void;
}

/** An event of a webhook: the payload, and every call with its response. */
export function DeliveryDetail({ webhookId, eventId, changed }: DeliveryDetailProps) {
  const { may } = useSession();
  const variables = { id: webhookId, eventId };
  const [{ data, error }, refresh] = useQuery({
    query: WebhookDeliveryDocument,
    variables,
    requestPolicy: 'network-only',
  });
  const replay = useOperation(ReplayWebhookEventDocument);
  const [busy, change] = useChange();
  const delivery = data?.webhook?.delivery;
  if (error) return <Failure error={error} />;
  if (!delivery) return <Loading />;
  const again = async () => {
    await replay({ webhookId, eventId });
    changed();
    refresh({ requestPolicy: 'network-only' });
  };
  return (
    <Stack>
      <Group justify="space-between">
        <Group gap="xs">
          <Status value={delivery.status} />
          <Copyable value={delivery.id} label="Copy event ID" />
        </Group>
        {may('webhooks.write') && (
          <Button
            size="xs"
            variant="default"
            leftSection={<IconRepeat size={14} />}
            loading={busy}
            onClick={() => change(again, 'The event is being delivered again.')}
          >
            Replay
          </Button>
        )}
      </Group>
      {delivery.calls.nodes.map(({ id, number, httpStatusCode, error: failure, latencyMs, response, sentAt }) => (
        <Card key={id} withBorder>
          <Group justify="space-between">
            <Text size="sm" fw={500}>
              Call {number}: {callResult(httpStatusCode, failure)}
            </Text>
            <Text size="xs" c="dimmed">
              <ExactTime at={sentAt} /> · {latencyMs ?? '–'} ms
            </Text>
          </Group>
          {response && (
            <Code block mt="xs" className="break" style={{ whiteSpace: 'pre-wrap' }}>
              {response}
            </Code>
          )}
        </Card>
      ))}
      <CodeBlock label="payload" code={JSON.stringify(delivery.payload, null, 2)} />
    </Stack>
  );
}
