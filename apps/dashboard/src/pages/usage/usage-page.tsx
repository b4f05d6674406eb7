import { Card, Group, Progress, SimpleGrid, Stack, Text } from '@mantine/core';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { Figure } from '../../components/figure.tsx';
import { ExactTime, formatNumber } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { UsageDocument } from '../../graphql/generated.ts';
import { Months } from './months.tsx';

const NEARLY_USED = 80;

export function UsagePage() {
  const { data, error, refresh } = useFreshQuery(UsageDocument, {});
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  const { plan, unit, month, limit, used, remaining, resetsAt, rateLimitPerSecond } = data.usage;
  const share = limit === null || used === null ? null : (used / Math.max(limit, 1)) * 100;
  return (
    <Page title="Usage" description={`Accepted ${unit}s in ${month}.`}>
      <Card withBorder padding="lg">
        <Stack>
          <Group justify="space-between">
            <Text fw={600}>
              {used === null
                ? 'Unlimited'
                : `${formatNumber(used)} of ${limit === null ? 'unlimited' : formatNumber(limit)}`}
            </Text>
            <Text size="sm" c="dimmed">
              resets <ExactTime at={resetsAt} />
            </Text>
          </Group>
          {share !== null && (
            <Progress
              size="lg"
              value={share}
              color={share >= NEARLY_USED ? 'orange' : undefined}
              aria-label="Used allowance"
            />
          )}
        </Stack>
      </Card>
      <SimpleGrid cols={{ base: 1, sm: 3 }}>
        <Figure name="Plan" value={plan} />
        <Figure name="Remaining" value={remaining === null ? 'unlimited' : formatNumber(remaining)} />
        <Figure
          name="Requests per second"
          value={rateLimitPerSecond === 0 ? 'unlimited' : formatNumber(rateLimitPerSecond)}
        />
      </SimpleGrid>
      <Months />
    </Page>
  );
}
