import { Badge, Group, SimpleGrid } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { Figure } from '../../components/figure.tsx';
import { formatNumber, formatRate } from '../../components/format.tsx';
import type { OverviewQuery } from '../../graphql/generated.ts';
import { BOUNCE_LIMITS, COMPLAINT_LIMITS, DELIVERY_LIMITS, judgeRate, type Limits } from './rates.ts';
import type { useLiveCounts } from './use-live-counts.ts';

export const NUMBER_CARDS = 6;
export const NUMBER_COLUMNS = { base: 2, sm: 3, lg: 6 };

/** Counts and latency of the account or of one domain. */
export type Totals = Pick<
  OverviewQuery['today']['totals'],
  'accepted' | 'delivered' | 'bounced' | 'complained' | 'latencyMs'
>;

/** A domain without events has no row. */
export const NOTHING: Totals = { accepted: 0, delivered: 0, bounced: 0, complained: 0, latencyMs: null };

interface NumbersProps {
  totals: Totals;
  live: ReturnType<typeof useLiveCounts>;
}

/** Counts are updated by the subscription; rates are compared with the limits of mailbox providers. */
export function Numbers({ totals, live }: NumbersProps) {
  const { latencyMs: latency } = totals;
  const count = (name: 'accepted' | 'delivered' | 'bounced' | 'complained') => live?.[name] ?? totals[name] ?? 0;
  const [accepted, delivered, bounced] = [count('accepted'), count('delivered'), count('bounced')];
  const settled = delivered + bounced;
  return (
    <SimpleGrid cols={NUMBER_COLUMNS}>
      <Figure name="Accepted" value={formatNumber(accepted)} note={counted(live?.deferred ?? 0, 'deferral')} />
      <Figure
        name="Delivered"
        value={formatNumber(delivered)}
        note={
          <>
            <Verdict part={delivered} total={settled} limits={DELIVERY_LIMITS} />
            {formatRate(delivered, settled)} of {formatNumber(settled)}
          </>
        }
      />
      <Figure
        name="Bounce rate"
        value={formatRate(bounced, settled)}
        note={
          <>
            <Verdict part={bounced} total={settled} limits={BOUNCE_LIMITS} />
            {formatNumber(bounced)} bounced
          </>
        }
      />
      <Figure
        name="Complaint rate"
        value={formatRate(count('complained'), delivered)}
        note={
          <>
            <Verdict part={count('complained')} total={delivered} limits={COMPLAINT_LIMITS} />
            {counted(count('complained'), 'complaint')}
          </>
        }
      />
      <Figure
        name="Time to delivery"
        value={duration(latency?.p50)}
        note={
          <>
            p95 {duration(latency?.p95)}, p99 {duration(latency?.p99)}
          </>
        }
      />
      <Figure
        name="Opened, clicked"
        value={`${formatNumber(live?.opened ?? 0)}, ${formatNumber(live?.clicked ?? 0)}`}
        note="total, not unique"
      />
    </SimpleGrid>
  );
}

const counted = (count: number, noun: string): string => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

/** The verdict as text and color. */
function Verdict({ part, total, limits }: { part: number; total: number; limits: Limits }) {
  const { level, words } = judgeRate(part, total, limits);
  if (level === 'unknown') return null;
  const color = { good: 'teal', warning: 'yellow', bad: 'red' }[level];
  const Symbol = level === 'good' ? IconCheck : IconAlertTriangle;
  return (
    <Group gap={4} mb={2}>
      <Badge
        size="sm"
        variant="light"
        color={color}
        tt="none"
        leftSection={<Symbol size={11} />}
        className="badge-wraps"
      >
        {words}
      </Badge>
    </Group>
  );
}

/** Milliseconds for reading; a dash without a value. */
function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
