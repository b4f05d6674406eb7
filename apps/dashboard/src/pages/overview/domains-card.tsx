import { Anchor, Button, Card, Group, Progress, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { formatNumber, formatRate, Status, Time } from '../../components/format.tsx';
import type { OverviewQuery } from '../../graphql/generated.ts';

interface DomainsCardProps {
  data: OverviewQuery;
  chosen: string | null;
  choose: (id: string | null) => void;
}

/** Each domain with its counts; a click limits the page to it. */
export function DomainsCard({ data: { domains, today, usage }, chosen, choose }: DomainsCardProps) {
  const counts = new Map(today.data?.map((row) => [row.domainId, row]));
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Domains
      </Title>
      <Stack gap={4}>
        {domains.map(({ id, name, status }) => {
          const { delivered, bounced } = withoutNulls(counts.get(id));
          return (
            <Group key={id} justify="space-between" wrap="nowrap" gap="xs">
              <Button
                variant={chosen === id ? 'light' : 'subtle'}
                size="compact-sm"
                aria-pressed={chosen === id}
                onClick={() => choose(chosen === id ? null : id)}
                style={{ minWidth: 0 }}
              >
                {name}
              </Button>
              <Group gap="sm" wrap="nowrap">
                <Text size="xs" c="dimmed" visibleFrom="xs" style={{ whiteSpace: 'nowrap' }}>
                  {formatNumber(delivered)} delivered, {formatRate(bounced, delivered + bounced)} bounced
                </Text>
                <Status value={status} />
                <Anchor component={Link} to={`/domains/${id}`} size="xs" aria-label={`Settings of ${name}`}>
                  Settings
                </Anchor>
              </Group>
            </Group>
          );
        })}
      </Stack>
      <Allowance usage={usage} />
    </Card>
  );
}

function withoutNulls(row: { delivered: number | null; bounced: number | null } | undefined) {
  return { delivered: row?.delivered ?? 0, bounced: row?.bounced ?? 0 };
}

function Allowance({ usage: { limit, used, resetsAt, plan } }: Pick<OverviewQuery, 'usage'>) {
  if (limit === null || used === null) return null;
  return (
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
  );
}
