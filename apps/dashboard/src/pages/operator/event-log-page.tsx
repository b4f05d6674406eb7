import { Button, Card, Group, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconCircleCheck } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useConnection } from '../../api/use-connection.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { confirm } from '../../components/confirm.tsx';
import { Empty, Failure, Loading, notifyDone } from '../../components/feedback.tsx';
import { Figure } from '../../components/figure.tsx';
import { Copyable, ExactTime, formatNumber, Time } from '../../components/format.tsx';
import { List, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { useChange } from '../../components/use-change.ts';
import {
  DropParkedEventsDocument,
  OperatorEventLogDocument,
  ParkedEventDocument,
  ParkedEventsDocument,
  ReplayParkedEventsDocument,
  type OperatorEventLogQuery,
  type ParkedEventsQuery,
} from '../../graphql/generated.ts';

type EventLog = OperatorEventLogQuery['operator']['eventLog'];
type Parked = ParkedEventsQuery['operator']['parkedEvents']['nodes'][number];

const EVERY_MS = 3_000;
/** The same thresholds as those of the doctor. */
const SLOW_OUTBOX_S = 60;
const LARGE_LAG = 100_000;

const COLUMNS: Column<Parked>[] = [
  {
    title: 'Event',
    width: 'minmax(0, 1fr)',
    render: ({ eventType, source, position }) => eventType ?? `${source} ${position}`,
  },
  { title: 'Consumer', width: '130px', from: 'sm', render: ({ consumer }) => consumer },
  { title: 'Reason', width: 'minmax(0, 2fr)', render: ({ reason }) => reason },
  { title: 'Failed', width: '70px', from: 'md', render: ({ failures }) => `${failures} ×` },
  {
    title: 'Parked',
    width: '150px',
    from: 'sm',
    render: ({ parkedAt, replayRequested }) => (replayRequested ? 'being replayed' : <Time at={parkedAt} />),
  },
];

export function OperatorEventLogPage() {
  const { data, error, refresh } = useFreshQuery(OperatorEventLogDocument, {}, EVERY_MS);
  const [consumer, setConsumer] = useState<string | null>(null);
  const parked = useConnection(ParkedEventsDocument, { consumer }, ({ operator }) => operator.parkedEvents);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  const { eventLog } = data.operator;
  const reload = () => {
    parked.reload();
    refresh();
  };
  return (
    <Page title="Event log" description="The progress of each consumer, and the events that could not be handled.">
      <Figures eventLog={eventLog} />
      <Consumers eventLog={eventLog} chosen={consumer} choose={setConsumer} />
      <Stack gap="sm">
        <Group justify="space-between">
          <Title order={2} size="h5">
            Parked events{consumer !== null && ` of ${consumer}`}
          </Title>
          {consumer !== null && parked.nodes.length > 0 && <AllOf consumer={consumer} changed={reload} />}
        </Group>
        <List
          label="Parked events"
          list={parked}
          columns={COLUMNS}
          second={({ consumer: of, parkedAt }) => [of, <Time key="at" at={parkedAt} />]}
          dialog={(event) => ({ title: 'Parked event', children: <Detail parked={event} changed={reload} /> })}
          empty={
            <Card withBorder>
              <Empty icon={IconCircleCheck} title="All events were handled">
                An event that webhooks, statistics or the Kafka relay cannot handle is parked here, and the others
                continue.
              </Empty>
            </Card>
          }
        />
      </Stack>
    </Page>
  );
}

function Figures({ eventLog: { head, outbox, outboxSeconds, consumers } }: { eventLog: EventLog }) {
  const parked = consumers.reduce((sum, one) => sum + one.parked, 0);
  const lag = Math.max(0, ...consumers.map((one) => one.lag ?? 0));
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Figure name="Newest position" value={formatNumber(head)} note="events since the beginning" />
      <Figure
        name="Outbox"
        value={formatNumber(outbox)}
        note={outbox === 0 ? 'empty' : `oldest for ${Math.round(outboxSeconds)} s`}
        color={outboxSeconds > SLOW_OUTBOX_S ? 'red' : undefined}
      />
      <Figure
        name="Largest lag"
        value={formatNumber(lag)}
        note="events not handled yet"
        color={lag > LARGE_LAG ? 'red' : undefined}
      />
      <Figure
        name="Parked events"
        value={formatNumber(parked)}
        note="need a decision"
        color={parked > 0 ? 'orange' : undefined}
      />
    </SimpleGrid>
  );
}

interface ConsumersProps {
  eventLog: EventLog;
  chosen: string | null;
  choose: (consumer: string | null) => void;
}

function Consumers({ eventLog: { consumers }, chosen, choose }: ConsumersProps) {
  const fields: Field<EventLog['consumers'][number]>[] = [
    {
      title: 'Consumer',
      render: ({ consumer }) => (
        <Text size="sm" fw={500} title={consumer}>
          {shortName(consumer)}
        </Text>
      ),
    },
    {
      title: 'Position',
      align: 'right',
      render: ({ position }) => (position === null ? '–' : formatNumber(position)),
    },
    {
      title: 'Lag',
      align: 'right',
      render: ({ lag }) => (
        <Text span size="sm" c={lag !== null && lag > LARGE_LAG ? 'red' : undefined}>
          {lag === null ? '–' : formatNumber(lag)}
        </Text>
      ),
    },
    { title: 'Last moved', render: ({ movedAt }) => <Time at={movedAt} /> },
    {
      title: 'Parked',
      align: 'right',
      render: ({ consumer, parked }) =>
        parked === 0 ? (
          '0'
        ) : (
          <Button
            size="compact-sm"
            variant={chosen === consumer ? 'filled' : 'light'}
            color="orange"
            onClick={() => choose(chosen === consumer ? null : consumer)}
          >
            {formatNumber(parked)}
          </Button>
        ),
    },
  ];
  return <DataTable label="Consumers" fields={fields} rows={consumers} keyOf={({ consumer }) => consumer} />;
}

/** The name of a statistics store contains its identity, of which the beginning tells stores apart. */
const shortName = (consumer: string): string => consumer.replace(/^(\w+-[0-9a-f]{8})-[0-9a-f-]+$/, '$1');

/** Actions on one parked event, or on all of a consumer. */
function useParkedChanges(which: { id: string } | { consumer: string }, changed: () => void) {
  const replay = useOperation(ReplayParkedEventsDocument);
  const drop = useOperation(DropParkedEventsDocument);
  const [busy, change] = useChange();
  const variables = { id: 'id' in which ? which.id : null, consumer: 'consumer' in which ? which.consumer : null };
  return {
    busy,
    replay: () =>
      change(async () => {
        await replay(variables);
        changed();
      }, 'The consumer will retry within seconds.'),
    drop: () =>
      confirm({
        title: variables.id ? 'Drop this event?' : `Drop all parked events of ${variables.consumer}?`,
        text: 'The consumer will never process it: a webhook call or a count in the statistics will be missing. This cannot be undone.',
        confirm: 'Drop',
        run: async () => {
          const { dropParkedEvents } = await drop(variables);
          notifyDone(`Dropped: ${dropParkedEvents}.`);
          changed();
        },
      }),
  };
}

function AllOf({ consumer, changed }: { consumer: string; changed: () => void }) {
  const { busy, replay, drop } = useParkedChanges({ consumer }, changed);
  return (
    <Group gap="xs">
      <Button size="xs" variant="default" loading={busy} onClick={replay}>
        Replay all
      </Button>
      <Button size="xs" variant="light" color="red" onClick={drop}>
        Drop all
      </Button>
    </Group>
  );
}

function Detail({ parked, changed }: { parked: Parked; changed: () => void }) {
  const { id, consumer, source, position, eventId, accountId, reason, failures, failedAt } = parked;
  const [{ data, error }] = useQuery({ query: ParkedEventDocument, variables: { id } });
  const done = () => {
    modals.closeAll();
    changed();
  };
  const { busy, replay, drop } = useParkedChanges({ id }, done);
  const content = data?.operator.parkedEvent?.content;
  return (
    <Stack>
      <Text size="sm" className="break">
        {reason}
      </Text>
      <Text size="xs" c="dimmed">
        {consumer} · {source} at {formatNumber(position)} · failed {failures} ×, last <ExactTime at={failedAt} />
      </Text>
      {eventId !== null && <Copyable value={eventId} label="Copy event ID" />}
      {accountId !== null && <Copyable value={accountId} label="Copy account ID" />}
      {error && <Failure error={error} />}
      {content !== undefined && <CodeBlock label="content" code={JSON.stringify(content, null, 2)} />}
      <Group justify="flex-end">
        <Button variant="light" color="red" onClick={drop}>
          Drop
        </Button>
        <Button loading={busy} onClick={replay}>
          Replay
        </Button>
      </Group>
    </Stack>
  );
}
