import { Alert, Anchor, Card, Group, SegmentedControl, SimpleGrid, Skeleton, Stack, Title } from '@mantine/core';
import { IconAlertTriangle, IconRocket } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import { Link } from 'react-router';
import type { Client } from 'urql';
import { useSession } from '../../api/session.tsx';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { Chart, Legend } from '../../components/chart.tsx';
import { Failure } from '../../components/feedback.tsx';
import { DomainFilter, useFilters } from '../../components/filters.tsx';
import { ExactTime, formatNumber } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { OverviewDocument, type OverviewQuery } from '../../graphql/generated.ts';
import { DomainsCard } from './domains-card.tsx';
import { NOTHING, NUMBER_CARDS, NUMBER_COLUMNS, Numbers, type Totals } from './numbers.tsx';
import { FailingWebhooks } from './failing-webhooks.tsx';
import { useLiveCounts } from './use-live-counts.ts';
import { useThroughput, WINDOWS, type Window } from './use-throughput.ts';
import { Waiting } from './waiting.tsx';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Percentiles and counts by domain have no subscription. */
const RELOAD_MS = 30_000;
const FILTERS = ['domain'] as const;
const FIRST_WINDOW: Window = '24 hours';
const SERIES = [
  { name: 'accepted', label: 'Accepted', color: '#4c6ef5' },
  { name: 'delivered', label: 'Delivered', color: '#12b886' },
  { name: 'bounced', label: 'Bounced', color: '#fa5252' },
] as const;

/** The same within a minute, so that the page uses what was prefetched. */
function variablesOf(domain: string | null, window: Window) {
  const now = Math.floor(Date.now() / MINUTE_MS) * MINUTE_MS;
  const startDate = new Date(now - DAY_MS).toISOString();
  const { granularity, seconds, count } = WINDOWS[window];
  const from = new Date(now - count * seconds * 1_000).toISOString();
  const only = domain === null ? {} : { domainId: [domain] };
  return {
    today: { startDate, percentiles: ['p50', 'p95', 'p99'], dimensions: ['domain'] },
    periods: { startDate: from, granularity, dimensions: ['period'], ...only },
  };
}

/** Requests what the page shows first. */
export function prefetchOverview(client: Client): void {
  const domain = new URLSearchParams(window.location.search).get('domain');
  void client.query(OverviewDocument, variablesOf(domain, FIRST_WINDOW)).toPromise();
}

export function OverviewPage() {
  const filters = useFilters(FILTERS);
  const { domain } = filters.values;
  const [window, setWindow] = useState<Window>(FIRST_WINDOW);
  const variables = useMemo(() => variablesOf(domain, window), [domain, window]);
  const { data, error, refresh } = useFreshQuery(OverviewDocument, variables, RELOAD_MS);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  const choose = (id: string | null) => filters.set({ domain: id });
  return (
    <Page
      title="Overview"
      description="The last 24 hours, live."
      actions={data && data.domains.length > 1 && <DomainFilter filters={filters} domains={data.domains} />}
    >
      {data ? (
        <>
          <Notices data={data} />
          <Live key={`${domain} ${window}`} data={data} domain={domain} window={window} setWindow={setWindow} />
        </>
      ) : (
        <Placeholder />
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Waiting />
        {data ? <DomainsCard data={data} chosen={domain} choose={choose} /> : <Skeleton h={120} />}
      </SimpleGrid>
    </Page>
  );
}

function totalsOf({ today }: OverviewQuery, domain: string | null): Totals {
  if (domain === null) return today.totals;
  return today.data?.find(({ domainId }) => domainId === domain) ?? NOTHING;
}

/** As tall as the numbers and the chart, so that nothing moves when they arrive. */
function Placeholder() {
  return (
    <Stack gap="lg" role="status" aria-label="Loading">
      <SimpleGrid cols={NUMBER_COLUMNS}>
        {Array.from({ length: NUMBER_CARDS }, (_, i) => (
          <Skeleton key={i} h={120} />
        ))}
      </SimpleGrid>
      <Skeleton h={312} />
    </Stack>
  );
}

function Notices({ data: { domains, account } }: { data: OverviewQuery }) {
  const { may } = useSession();
  const pause = account.sendingPause;
  return (
    <>
      {pause && (
        <Alert color="red" icon={<IconAlertTriangle />} title="Sending is paused">
          Since <ExactTime at={pause.pausedAt} />, because of too many {pause.reason}:{' '}
          {formatNumber(pause.reason === 'bounces' ? pause.hardBounces : pause.complaints)} of{' '}
          {formatNumber(pause.recipients)} recipients, with a limit of {pause.limitPercent}%. New emails are refused and
          queued ones are held until the operator resumes sending.
        </Alert>
      )}
      {may('webhooks.read') && <FailingWebhooks />}
      {domains.every(({ status }) => status !== 'active') && (
        <Alert icon={<IconRocket />} title="Send your first email">
          <Anchor component={Link} to="/getting-started">
            Getting started
          </Anchor>{' '}
          takes you from a domain and an API key to a delivered email.
        </Alert>
      )}
    </>
  );
}

interface LiveProps {
  data: OverviewQuery;
  domain: string | null;
  window: Window;
  setWindow: (window: Window) => void;
}

/** Remounted when the domain or the window changes, because the counts of one do not apply to another. */
function Live({ data, domain, window, setWindow }: LiveProps) {
  const live = useLiveCounts(domain);
  const periods = useMemo(() => data.periods.data ?? [], [data.periods.data]);
  const throughput = useThroughput(periods, live, window);
  const { times, now } = throughput;
  const series = useMemo(
    () => SERIES.map(({ name, label, color }) => ({ label, color, values: throughput[name] })),
    [throughput],
  );
  const range = useMemo(() => ({ from: times[0], to: now }), [times, now]);
  const unit = window === '24 hours' ? 'hour' : 'minute';
  return (
    <>
      <Numbers totals={totalsOf(data, domain)} live={live} />
      <Card withBorder>
        <Group justify="space-between" mb="xs">
          <Title order={2} size="h5">
            Recipients per {unit}
          </Title>
          <Legend series={series} />
          <SegmentedControl
            size="xs"
            aria-label="Period"
            data={Object.keys(WINDOWS)}
            value={window}
            onChange={(value) => setWindow(value as Window)}
          />
        </Group>
        <Chart
          label={`Recipients accepted, delivered and bounced in each ${unit} of the last ${window}`}
          times={times}
          series={series}
          range={range}
          unit={unit}
          empty={{ title: `No emails in the last ${window}`, text: 'Accepted recipients appear here at once.' }}
        />
      </Card>
    </>
  );
}
