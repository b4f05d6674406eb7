import { Card, Group, SimpleGrid, Text, Title } from '@mantine/core';
import { useMemo } from 'react';
import { Chart, Legend } from '../../../components/chart.tsx';
import { Figure } from '../../../components/figure.tsx';
import { formatNumber } from '../../../components/format.tsx';
import { formatLatency, lastHour, perMinute, type Health } from './figures.ts';

const SERIES = [
  { name: 'accepted', label: 'Accepted', color: '#4c6ef5' },
  { name: 'delivered', label: 'Delivered', color: '#12b886' },
] as const;
const CHART_PX = 140;

/** Activity of all accounts in the last hour. */
export function Activity({ health: { activity, waiting } }: { health: Health }) {
  const [hour, range] = useMemo(() => {
    const found = lastHour(activity?.minutes ?? [], Date.now());
    return [found, { from: found.times[0], to: Date.now() / 1_000 }] as const;
  }, [activity]);
  const series = useMemo(() => SERIES.map(({ name, label, color }) => ({ label, color, values: hour[name] })), [hour]);
  const rate = (counts: number[]) => (activity === null ? '–' : formatRatePerMinute(perMinute(counts)));
  const latency = activity?.latency ?? null;
  return (
    <>
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure name="Accepted per minute" value={rate(hour.accepted)} note="average of the last hour" />
        <Figure name="Delivered per minute" value={rate(hour.delivered)} note="average of the last hour" />
        <Figure
          name="Time to delivery"
          value={latency === null ? '–' : formatLatency(latency.p50)}
          note={latency === null ? 'nothing delivered in the last hour' : `p50; p95 ${formatLatency(latency.p95)}`}
        />
        <Figure
          name="Waiting recipients"
          value={formatNumber(waiting.recipients)}
          note={`${formatNumber(waiting.held)} of them held back`}
          color={waiting.held > 0 ? 'orange' : undefined}
        />
      </SimpleGrid>
      <Card withBorder>
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h5">
            Recipients per minute
          </Title>
          <Legend series={series} />
        </Group>
        {activity === null ? (
          <Text size="sm" c="dimmed">
            The statistics store does not answer.
          </Text>
        ) : (
          <Chart
            label="Recipients accepted and delivered in each minute of the last hour"
            times={hour.times}
            series={series}
            height={CHART_PX}
            range={range}
            unit="minute"
            empty={{ title: 'No emails in the last hour' }}
          />
        )}
      </Card>
    </>
  );
}

const formatRatePerMinute = (rate: number): string =>
  rate > 0 && rate < 10 ? rate.toFixed(1) : formatNumber(Math.round(rate));
