import { Button, Card, Group, SegmentedControl, SimpleGrid, Skeleton, Table, Text, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { useQuery } from 'urql';
import { Chart, Legend } from '../../components/chart.tsx';
import type { Series } from '../../components/chart-data.ts';
import { downloadText } from '../../components/download.ts';
import { Failure } from '../../components/feedback.tsx';
import { DomainFilter, useFilters } from '../../components/filters.tsx';
import { Figure } from '../../components/figure.tsx';
import { formatNumber, formatRate, formatShareOrDash } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { providerLabel } from '../../components/providers.ts';
import { AboutRates, RateFigure } from '../../components/rate-figure.tsx';
import { BOUNCE_LIMITS, COMPLAINT_LIMITS, DELIVERY_LIMITS, UNKNOWN_RATES } from '../../components/rates.ts';
import { LIMITS } from '../../generated/constants.ts';
import { DomainsDocument, StatisticsDocument, type StatisticsQuery } from '../../graphql/generated.ts';
import { startOfRange } from './start-of-range.ts';

type Row = NonNullable<StatisticsQuery['stats']['data']>[number];

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
          columns={PROVIDER_COLUMNS}
          days={RANGES[range]}
          domain={domain}
          nameOf={({ provider }) => provider && providerLabel(provider)}
        />
        <Breakdown
          title="Bounces by reason"
          groupBy="bounce_class"
          columns={REASON_COLUMNS}
          days={RANGES[range]}
          domain={domain}
          nameOf={({ bounceClass }) => bounceClass && inWords([bounceClass])}
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
    const granularity = more.dimensions ? { granularity: unitOf(days) } : {};
    const timezone = Intl.DateTimeFormat().resolvedOptions().timeZone;
    const startDate = startOfRange(days, new Date());
    return {
      input: { startDate, timezone, ...granularity, ...more, ...(domain === null ? {} : { domainId: [domain] }) },
    };
  }, [days, domain, key]);
}

const unitOf = (days: number) => (days <= 1 ? ('hour' as const) : ('day' as const));

function OverTime(selection: Selection) {
  const variables = useInput(selection, { dimensions: ['period'] });
  const [{ data, error }, refresh] = useQuery({ query: StatisticsDocument, variables });
  const rows = useMemo(() => data?.stats.data ?? [], [data]);
  const series = useMemo(
    () => SERIES.map(({ name, label, color }) => ({ label, color, values: rows.map((row) => row[name] ?? 0) })),
    [rows],
  );
  if (error) return <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />;
  return (
    <>
      <Totals totals={data?.stats.totals} />
      <Card withBorder aria-busy={!data}>
        <Group justify="space-between" mb="xs">
          <Legend series={series} />
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
        {data ? (
          <ChartOf stats={data.stats} series={series} unit={unitOf(selection.days)} />
        ) : (
          <Skeleton height={CHART_HEIGHT} role="status" aria-label="Loading" />
        )}
        <Text size="xs" c="dimmed" mt="xs">
          {data ? estimated(data.stats) : '\u00a0'}
        </Text>
      </Card>
    </>
  );
}

const CHART_HEIGHT = 280;

interface ChartOfProps {
  stats: StatisticsQuery['stats'];
  series: Series[];
  unit: string;
}

/** As high without messages, so that nothing below moves. */
function ChartOf({ stats: { data, startDate, endDate }, series, unit }: ChartOfProps) {
  const times = useMemo(() => (data ?? []).map(({ period }) => secondsOf(period ?? '')), [data]);
  const range = useMemo(() => ({ from: secondsOf(startDate), to: secondsOf(endDate) }), [startDate, endDate]);
  return (
    <Chart
      label={`Recipients accepted, delivered, bounced and opened in each ${unit}`}
      height={CHART_HEIGHT}
      {...{ times, series, range, unit }}
      empty={{ title: 'No emails in this period', text: 'Choose a longer period or another domain.' }}
    />
  );
}

const secondsOf = (time: string): number => Date.parse(time) / 1_000;

/** Small numbers are exact, whatever the store calls approximate in general. */
function estimated({ approximate, totals }: StatisticsQuery['stats']): string {
  const most = Math.max(totals.uniqueOpened ?? 0, totals.uniqueClicked ?? 0);
  if (approximate.length === 0 || most <= LIMITS.exactUniqueCount) return '\u00a0';
  return 'Unique opens and clicks are estimated, with a standard error of 0.3%.';
}

/** With dashes until the values arrive. */
function Totals({ totals }: { totals: StatisticsQuery['stats']['totals'] | undefined }) {
  const rates = totals ?? UNKNOWN_RATES;
  const { settled } = rates;
  return (
    <>
      <SimpleGrid cols={{ base: 2, sm: 3, lg: 6 }}>
        <Figure
          name="Accepted"
          value={totals ? formatNumber(totals.accepted ?? 0) : '–'}
          note={totals?.accepted === 0 ? 'nothing sent yet' : 'recipients'}
        />
        <RateFigure name="Delivery rate" rate={rates.deliveredOfSettled} settled={settled} limits={DELIVERY_LIMITS} />
        <RateFigure name="Bounce rate" rate={rates.bouncedOfSettled} settled={settled} limits={BOUNCE_LIMITS} />
        <RateFigure
          name="Complaint rate"
          rate={rates.complainedOfSettled}
          settled={settled}
          limits={COMPLAINT_LIMITS}
        />
        <RateFigure name="Opened" rate={rates.openedOfSettled} settled={settled} />
        <RateFigure name="Clicked" rate={rates.clickedOfSettled} settled={settled} />
      </SimpleGrid>
      <AboutRates rates={rates} />
    </>
  );
}

interface BreakdownColumn {
  title: string;
  render: (row: Row, totals: StatisticsQuery['stats']['totals']) => string;
}

const PROVIDER_COLUMNS: BreakdownColumn[] = [
  { title: 'Delivered', render: ({ delivered }) => formatNumber(delivered ?? 0) },
  { title: 'Bounced', render: ({ bounced }) => formatNumber(bounced ?? 0) },
  { title: 'Bounce rate', render: ({ bouncedOfSettled }) => formatShareOrDash(bouncedOfSettled) },
];
const REASON_COLUMNS: BreakdownColumn[] = [
  { title: 'Bounced', render: ({ bounced }) => formatNumber(bounced ?? 0) },
  {
    title: 'Share of all bounces',
    render: ({ bounced }, totals) => formatRate(bounced ?? 0, totals.bounced ?? 0),
  },
];

interface BreakdownProps extends Selection {
  title: string;
  groupBy: string;
  columns: readonly BreakdownColumn[];
  nameOf: (row: Row) => string | null;
}

const TOP = 15;
const COLUMN_WIDTH = { base: '22%', xs: 96 };
/** About the height of five rows. */
const BREAKDOWN_HEIGHT = 216;
/** At least that of its title and padding, so that the card keeps its height when the rows arrive. */
const CARD_HEIGHT = 72;

function Breakdown({ title, groupBy, columns, nameOf, ...selection }: BreakdownProps) {
  const variables = useInput(selection, { groupBy: [groupBy] });
  const [{ data, error }, refresh] = useQuery({ query: StatisticsDocument, variables });
  const weight = (row: Row) => (row.delivered ?? 0) + (row.bounced ?? 0);
  const rows = (data?.stats.data ?? [])
    .filter((row) => nameOf(row) && weight(row) > 0)
    .toSorted((a, b) => weight(b) - weight(a));
  return (
    <Card withBorder mih={BREAKDOWN_HEIGHT + CARD_HEIGHT}>
      <Text fw={600} mb="xs">
        {title}
      </Text>
      {error && <Failure error={error} retry={() => refresh({ requestPolicy: 'network-only' })} />}
      {!data && !error && <Skeleton height={BREAKDOWN_HEIGHT} role="status" aria-label="Loading" />}
      {data && rows.length === 0 && (
        <Text size="sm" c="dimmed">
          None in this period.
        </Text>
      )}
      {data && rows.length > 0 && (
        <Table layout="fixed" horizontalSpacing={6}>
          <Table.Thead>
            <Table.Tr>
              <Table.Th>Name</Table.Th>
              {columns.map((column) => (
                <Table.Th key={column.title} ta="right" w={COLUMN_WIDTH}>
                  {column.title}
                </Table.Th>
              ))}
            </Table.Tr>
          </Table.Thead>
          <Table.Tbody>
            {rows.slice(0, TOP).map((row) => (
              <Table.Tr key={nameOf(row)}>
                <Table.Td>
                  <Tooltip label={nameOf(row)} openDelay={300}>
                    <Text size="sm" truncate>
                      {nameOf(row)}
                    </Text>
                  </Tooltip>
                </Table.Td>
                {columns.map((column) => (
                  <Table.Td key={column.title} ta="right">
                    {column.render(row, data.stats.totals)}
                  </Table.Td>
                ))}
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
