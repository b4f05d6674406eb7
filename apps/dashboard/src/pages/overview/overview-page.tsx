import { Alert, Anchor, Card, Group, Progress, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { IconClockPause, IconRocket } from '@tabler/icons-react';
import { useMemo } from 'react';
import { Link } from 'react-router';
import { useQuery, useSubscription } from 'urql';
import { Chart } from '../../components/chart.tsx';
import { Failure, Loading } from '../../components/feedback.tsx';
import { formatNumber, formatRate, Status, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import {
  AccountLiveDocument,
  OverviewDocument,
  QueuesLiveDocument,
  type OverviewQuery,
} from '../../graphql/generated.ts';
import { useThroughput } from './use-throughput.ts';

const DAY_MS = 86_400_000;
const LEGEND: [string, string][] = [
  ['Accepted', '#4c6ef5'],
  ['Delivered', '#12b886'],
  ['Bounced', '#fa5252'],
];

export function OverviewPage() {
  const variables = useMemo(() => {
    const startDate = new Date(Date.now() - DAY_MS).toISOString();
    return {
      today: { startDate, percentiles: ['p50', 'p95', 'p99'] },
      hours: { startDate, granularity: 'hour' as const, dimensions: ['period'] },
    };
  }, []);
  const [{ data, error }, refresh] = useQuery({
    query: OverviewDocument,
    variables,
    requestPolicy: 'cache-and-network',
  });
  if (error && !data) return <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />;
  if (!data) return <Loading />;
  return (
    <Page title="Overview" description="The last 24 hours, as they happen.">
      {data.domains.every(({ status }) => status !== 'active') && <GettingStarted />}
      <Numbers data={data} />
      <Throughput data={data} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Waiting />
        <Domains data={data} />
      </SimpleGrid>
    </Page>
  );
}

function GettingStarted() {
  return (
    <Alert icon={<IconRocket />} title="Send the first message">
      <Anchor component={Link} to="/getting-started">
        Getting started
      </Anchor>{' '}
      leads from a key and a domain to a delivered message.
    </Alert>
  );
}

/** Counts move with the subscription; rates have thresholds of mailbox providers. */
function Numbers({ data }: { data: OverviewQuery }) {
  const [{ data: live }] = useSubscription({ query: AccountLiveDocument });
  const { latencyMs: latency, ...loaded } = data.totals.totals;
  const { accepted, delivered, bounced, complained, deferred, opened, clicked } =
    live?.accountStats ?? withoutLive(loaded);
  const settled = delivered + bounced;
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      <NumberCard
        name="Accepted"
        value={formatNumber(accepted)}
        note={`${formatNumber(deferred)} ${deferred === 1 ? 'deferral' : 'deferrals'}`}
      />
      <NumberCard name="Delivered" value={formatNumber(delivered)} note={formatRate(delivered, settled)} />
      <NumberCard
        name="Bounce rate"
        value={formatRate(bounced, settled)}
        note={`${formatNumber(bounced)} bounced · keep below 5\u00a0%`}
        color={rateColor(bounced, settled, [0.02, 0.05])}
      />
      <NumberCard
        name="Complaint rate"
        value={formatRate(complained, delivered)}
        note={`${formatNumber(complained)} ${complained === 1 ? 'complaint' : 'complaints'} · keep below 0.1\u00a0%`}
        color={rateColor(complained, delivered, [0.001, 0.003])}
      />
      <NumberCard
        name="Time to delivery"
        value={duration(latency?.p50)}
        note={`p95 ${duration(latency?.p95)}, p99 ${duration(latency?.p99)}`}
      />
      <NumberCard
        name="Opened, clicked"
        value={`${formatNumber(opened)}, ${formatNumber(clicked)}`}
        note="all events"
      />
    </SimpleGrid>
  );
}

type Loaded = Omit<OverviewQuery['totals']['totals'], 'latencyMs'>;

/** Until the first message of the subscription. */
function withoutLive({ accepted, delivered, bounced, complained }: Loaded) {
  const counts = {
    accepted: accepted ?? 0,
    delivered: delivered ?? 0,
    bounced: bounced ?? 0,
    complained: complained ?? 0,
  };
  return { ...counts, deferred: 0, opened: 0, clicked: 0 };
}

interface NumberCardProps {
  name: string;
  value: string;
  note: string;
  color?: string | undefined;
}

function NumberCard({ name, value, note, color }: NumberCardProps) {
  return (
    <Card withBorder padding="md">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="xl" fw={650} c={color} data-number={name}>
        {value}
      </Text>
      <Text size="xs" c="dimmed">
        {note}
      </Text>
    </Card>
  );
}

function rateColor(part: number, total: number, [warning, limit]: [number, number]): string | undefined {
  const rate = total === 0 ? 0 : part / total;
  if (rate >= limit) return 'red';
  return rate >= warning ? 'var(--mantine-color-orange-light-color)' : undefined;
}

/** Milliseconds for reading; a dash without a value. */
function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}

function Throughput({ data }: { data: OverviewQuery }) {
  const { times, accepted, delivered, bounced } = useThroughput(data.hours.data ?? []);
  const series = useMemo(
    () => [accepted, delivered, bounced].map((values, i) => ({ label: LEGEND[i][0], color: LEGEND[i][1], values })),
    [accepted, delivered, bounced],
  );
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Recipients per hour
        </Title>
        <Group gap="md">
          {LEGEND.map(([name, color]) => (
            <Text key={name} size="xs" c="dimmed">
              <span
                aria-hidden
                style={{
                  display: 'inline-block',
                  width: 8,
                  height: 8,
                  borderRadius: 4,
                  background: color,
                  marginInlineEnd: 6,
                }}
              />
              {name}
            </Text>
          ))}
        </Group>
      </Group>
      <Chart
        label="Recipients accepted, delivered and bounced in each of the last 24 hours"
        times={times}
        series={series}
      />
    </Card>
  );
}

function Waiting() {
  const [{ data, error }] = useSubscription({ query: QueuesLiveDocument });
  const queues = data?.queues ?? [];
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Waiting for delivery
      </Title>
      {error && <Failure error={error} />}
      {queues.length === 0 && !error ? (
        <Group gap="xs" c="dimmed">
          <IconClockPause size={18} />
          <Text size="sm">Nothing waits.</Text>
        </Group>
      ) : (
        <Stack gap="sm">
          {queues.slice(0, 8).map(({ domain, recipients, reason, since }) => (
            <div key={`${domain} ${reason}`}>
              <Group justify="space-between" wrap="nowrap">
                <Text size="sm" fw={500} truncate>
                  {domain}
                </Text>
                <Text size="sm">{formatNumber(recipients)}</Text>
              </Group>
              <Text size="xs" c="dimmed" lineClamp={2}>
                {reason} · since <Time at={since} />
              </Text>
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}

function Domains({ data: { domains, usage } }: { data: OverviewQuery }) {
  const { limit, used, resetsAt, plan } = usage;
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Domains
      </Title>
      <Table>
        <Table.Tbody>
          {domains.slice(0, 8).map(({ id, name, status }) => (
            <Table.Tr key={id}>
              <Table.Td>
                <Anchor component={Link} to={`/domains/${id}`} size="sm">
                  {name}
                </Anchor>
              </Table.Td>
              <Table.Td ta="right">
                <Status value={status} />
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {limit !== null && used !== null && (
        <Stack gap={4} mt="md">
          <Group justify="space-between">
            <Text size="xs" c="dimmed">
              Plan {plan}
            </Text>
            <Text size="xs" c="dimmed">
              {formatNumber(used)} of {formatNumber(limit)}, resets <Time at={resetsAt} />
            </Text>
          </Group>
          <Progress value={(used / Math.max(limit, 1)) * 100} aria-label="Used allowance" />
        </Stack>
      )}
    </Card>
  );
}
