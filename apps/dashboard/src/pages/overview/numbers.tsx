import { SimpleGrid, Stack } from '@mantine/core';
import { Figure } from '../../components/figure.tsx';
import { formatNumber, formatShareOrDash } from '../../components/format.tsx';
import { AboutRates, RateFigure, Verdict } from '../../components/rate-figure.tsx';
import {
  BOUNCE_LIMITS,
  COMPLAINT_LIMITS,
  DELIVERY_LIMITS,
  judgeRate,
  NO_RATES,
  ofSettled,
} from '../../components/rates.ts';
import type { OverviewQuery } from '../../graphql/generated.ts';
import type { useLiveCounts } from './use-live-counts.ts';

export const NUMBER_CARDS = 7;
export const NUMBER_COLUMNS = { base: 2, sm: 4, xl: 7 };

/** Counts, rates and latency of the account or of one domain. */
export type Totals = Omit<OverviewQuery['today']['totals'], '__typename'>;

/** A domain without events has no row. */
export const NOTHING: Totals = { ...NO_RATES, accepted: 0, delivered: 0, bounced: 0, complained: 0, latencyMs: null };

interface NumbersProps {
  totals: Totals;
  live: ReturnType<typeof useLiveCounts>;
}

/** Counts are updated by the subscription; rates are compared with the limits of mailbox providers. */
export function Numbers({ totals, live }: NumbersProps) {
  const { latencyMs: latency, settled, deliveredOfSettled } = totals;
  const count = (name: 'accepted' | 'delivered') => live?.[name] ?? totals[name] ?? 0;
  const verdict = judgeRate(deliveredOfSettled, settled ?? 0, DELIVERY_LIMITS);
  return (
    <Stack gap="xs">
      <SimpleGrid cols={NUMBER_COLUMNS} spacing="sm">
        <Figure
          name="Accepted"
          value={formatNumber(count('accepted'))}
          note={counted(live?.deferred ?? 0, 'deferral')}
        />
        <Figure
          name="Delivered"
          value={formatNumber(count('delivered'))}
          note={
            <>
              {verdict && <Verdict {...verdict} />}
              {settled !== 0 && <span data-number="Delivery rate">{formatShareOrDash(deliveredOfSettled)}</span>}{' '}
              {ofSettled(settled)}
            </>
          }
        />
        <RateFigure name="Bounce rate" rate={totals.bouncedOfSettled} settled={settled} limits={BOUNCE_LIMITS} />
        <RateFigure
          name="Complaint rate"
          rate={totals.complainedOfSettled}
          settled={settled}
          limits={COMPLAINT_LIMITS}
        />
        <RateFigure name="Opened" rate={totals.openedOfSettled} settled={settled} />
        <RateFigure name="Clicked" rate={totals.clickedOfSettled} settled={settled} />
        <Figure
          name="Time to delivery"
          value={duration(latency?.p50)}
          note={
            <>
              p95 {duration(latency?.p95)}, p99 {duration(latency?.p99)}
            </>
          }
        />
      </SimpleGrid>
      <AboutRates rates={totals} />
    </Stack>
  );
}

const counted = (count: number, noun: string): string => `${formatNumber(count)} ${noun}${count === 1 ? '' : 's'}`;

/** Milliseconds for reading; a dash without a value. */
function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  return ms < 1_000 ? `${ms} ms` : `${(ms / 1_000).toFixed(1)} s`;
}
