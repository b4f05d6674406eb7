import { Button, Card, Center, Group, SegmentedControl, SimpleGrid, Skeleton, Table, Text } from '@mantine/core';
import { IconChartBar, IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { Chart, Legend, type ChartProps } from '../../components/chart.tsx';
import { downloadText } from '../../components/download.ts';
import { Empty, Failure } from '../../components/feedback.tsx';
import { DomainFilter, useFilters } from '../../components/filters.tsx';
import { Figure } from '../../components/figure.tsx';
import { formatNumber, formatShare } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { DomainsDocument, StatisticsDocument, type StatisticsQuery } from '../../graphql/generated.ts';

type Row = NonNullable<StatisticsQuery['stats']['data']>[number];

const DAY_MS = 86_400_000;
const FILTERS = ['domain'] as const;
const RANGES = { '24 hours': 1, '7 days': 7, '30 days': 30, '90 days': 90 };
const SERIES = [
  { name: 'accepted', label: 'Accepted', color: '#4c6ef5' },
  { name: 'delivered', label: 'Delivered', color: '#12b886' },
  { name: 'bounced', label: 'Bounced', color: '#fa5252' },
  { name: 'uniqueOpened', label: 'Unique opens', color: '#be4bdb' },
] as const;

export function StatisticsPage() {
  const [range, setRange] = useState<keyof typeof RANGES>('7 days');
  const filters = useFilters(FILTERS);
  const { domain } = filters.values;
  const [{ data: known }] = useQuery({ query: DomainsDocument });
  return (
    <Page title="Statistics" description="Counts and rates over time, by domain, mailbox provider and bounce reason.">
      <Group gap="xs">
        <SegmentedControl
          aria-label="Period"
          data={Object.keys(RANGES)}
          value={range}
          onChange={(value) => setRange(value as keyof typeof RANGES)}
        />
        <DomainFilter filters={filters} domains={known?.domains} />
      </Group>
      <OverTime days={RANGES[range]} domain={domain} />
      <SimpleGrid cols={{ base: 1, lg: 2 }} spacing="lg">
        <Breakdown
          title="Mailbox providers"
          groupBy="provider"
          days={RANGES[range]}
          domain={domain}
          nameOf={({ provider }) => provider}
        />
        <Breakdown
          title="Bounces by reason"
          groupBy="bounce_class"
          days={RANGES[range]}
          domain={domain}
          nameOf={({ bounceClass }) => bounceClass}
        />
      </SimpleGrid>
    </Page>
  );
}

interface Selection {
  days: number;
  domain: string | null;
}

function useInput({ days, domain }: Selection, rest: { dimensions?: string[]; groupBy?: string[] }) {
  const key = JSON.stringify(rest);
  return useMemo(() => {
    const more = JSON.parse(key) as typeof rest;
    const granularity = more.dimensions ? { granularity: days <= 2 ? ('hour' as const) : ('day' as const) } : {};
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const startDate = new Date(Date.now() - days * DAY_MS).toISOString();
    return {
      input: { startDate, timezone, ...granularity, ...more, ...(domain === null ? {} : { domainId: [domain] }) },
    };
  }, [days, domain, key]);
}

function OverTime(selection: Selection) {
  const variables = useInput(selection, { dimensions: ['period'] });
  const [{ data, error }, refresh] = useQuery({ query: StatisticsDocument, variables });
  const rows = useMemo(() => data?.stats.data ?? [], [data]);
  const times = useMemo(() => rows.map(({ period }) => Date.parse(period ?? '') / 1_000), [rows]);
  const series = useMemo(
    () => SERIES.map(({ name, label, color }) => ({ label, color, values: rows.map((row) => row[name] ?? 0) })),
    [rows],
  );
  if (error) return <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />;
  const { approximate = [] } = data?.stats ?? {};
  return (
    <>
      <Totals totals={data?.stats.totals} />
      <Card withBorder aria-busy={!data}>
        <Group justify="space-between" mb="xs">
          <Legend series={SERIES} />
          <Button
            size="xs"
            variant="default"
            leftSection={<IconDownload size={14} />}
            disabled={!data}
            onClick={() => downloadText('statistics.csv', csvOf(rows), 'text/csv')}
          >
            CSV
          </Button>
        </Group>
        <ChartArea isLoading={!data} times={times} series={series} />
        <Text size="xs" c="dimmed" mt="xs">
          {approximate.length > 0 ? `Estimated (standard error 0.3%): ${inWords(approximate)}.` : '\u00a0'}
        </Text>
      </Card>
    </>
  );
}

const CHART_HEIGHT = 280;

/** Keeps its height while loading and without messages, so that nothing below moves. */
function ChartArea({ isLoading, ...chart }: { isLoading: boolean } & Pick<ChartProps, 'times' | 'series'>) {
  if (isLoading) return <Skeleton height={CHART_HEIGHT} role="status" aria-label="Loading" />;
  if (chart.times.length > 0)
    return <Chart label="Accepted, delivered, bounced and opened over time" height={CHART_HEIGHT} {...chart} />;
  return (
    <Center h={CHART_HEIGHT}>
      <Empty icon={IconChartBar} title="No emails in this period">
        Choose a longer period or another domain.
      </Empty>
    </Center>
  );
}

/** With dashes until the values arrive. */
function Totals({ totals }: { totals: StatisticsQuery['stats']['totals'] | undefined }) {
  const rate = (value: number | null | undefined) => (typeof value === 'number' ? formatShare(value) : '–');
  return (
    <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
      <Figure name="Accepted" value={totals ? formatNumber(totals.accepted ?? 0) : '–'} />
      <Figure name="Delivery rate" value={rate(totals?.deliveryRate)} />
      <Figure name="Bounce rate" value={rate(totals?.bounceRate)} />
      <Figure name="Complaint rate" value={rate(totals?.complaintRate)} />
      <Figure name="Open rate" value={rate(totals?.openRate)} />
      <Figure name="Click rate" value={rate(totals?.clickRate)} />
    </SimpleGrid>
  );
}

interface BreakdownProps extends Selection {
  title: string;
  groupBy: string;
  nameOf: (row: Row) => string | null;
}

const TOP = 15;
/** About the height of five rows. */
const BREAKDOWN_HEIGHT = 216;

function Breakdown({ title, groupBy, nameOf, ...selection }: BreakdownProps) {
  const variables = useInput(selection, { groupBy: [groupBy] });
  const [{ data, error }, refresh] = useQuery({ query: StatisticsDocument, variables });
  const weight = (row: Row) => (row.delivered ?? 0) + (row.bounced ?? 0);
  const rows = (data?.stats.data ?? []).filter((row) => nameOf(row)).toSorted((a, b) => weight(b) - weight(a));
  return (
    <Card withBorder mih={BREAKDOWN_HEIGHT + 64}>
      <Text fw={600} mb="xs">
        {title}
      </Text>
      {error && <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height={BREAKDOWN_HEIGHT} role="status" aria-label="Loading" />}
      {data && rows.length === 0 && (
        <Text size="sm" c="dimmed">
          No data in this period.
        </Text>
      )}
      {rows.length > 0 && (
        <Table>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              <Table.Th ta="right">Delivered</Table.Th>
              <Table.Th ta="right">Bounced</Table.Th>
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, TOP).map((row) => (
              <Table.Tr key={nameOf(row)}>
                <Table.Td className="break">{nameOf(row)}</Table.Td>
                <Table.Td ta="right">{formatNumber(row.delivered ?? 0)}</Table.Td>
                <Table.Td ta="right">{formatNumber(row.bounced ?? 0)}</Table.Td>
              </Table.Tr>
            ))}
          </Table.Tbody>
        </Table>
      )}
    </Card>
  );
}

function csvOf(rows: Row[]): string {
  const names = ['period', ...SERIES.map(({ name }) => name)] as const;
  return [names.join(','), ...rows.map((row) => names.map((name) => row[name] ?? '').join(',')), ''].join('\r\n');
}

const inWords = (metrics: readonly string[]): string => metrics.map((name) => name.replaceAll('_', ' ')).join(', ');
