import { SimpleGrid } from '@mantine/core';
import { Figure } from '../../components/figure.tsx';
import { formatNumber, formatShare, Time } from '../../components/format.tsx';
import type { WebhookFiguresPartsFragment } from '../../graphql/generated.ts';

export const FIGURES_EVERY_MS = 5_000;
/** Seconds from which a delay is shown. */
export const LATE_S = 30;

/** How a webhook keeps up with its events. */
export function Figures({ figures }: Pick<WebhookFiguresPartsFragment, 'figures'>) {
  const { lagSeconds, pending, inFlight, window, pausedUntil, last24Hours: day } = figures;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Figure
        name="Delivered, 24 h"
        value={formatNumber(day.delivered)}
        note={day.failed === 0 ? 'none failed permanently' : `${formatNumber(day.failed)} failed permanently`}
      />
      <Figure
        name="Successful calls, 24 h"
        value={day.successRate === null ? '–' : formatShare(day.successRate)}
        note={`${formatNumber(day.failedAttempts)} failed`}
      />
      <Figure
        name="Response time, 24 h"
        value={day.averageLatencyMs === null ? '–' : `${formatNumber(day.averageLatencyMs)} ms`}
        note={day.maxLatencyMs === null ? 'no response' : `longest ${formatNumber(day.maxLatencyMs)} ms`}
      />
      <Figure
        name="Waiting"
        value={formatNumber(pending)}
        color={lagSeconds >= LATE_S ? 'orange' : undefined}
        note={
          pausedUntil ? (
            <>
              paused by the endpoint until <Time at={pausedUntil} />
            </>
          ) : (
            `${lagSeconds >= 1 ? `oldest due ${formatNumber(Math.round(lagSeconds))} s ago, ` : ''}${inFlight} of ${window} concurrent calls`
          )
        }
      />
    </SimpleGrid>
  );
}
