import { Anchor, Box, Button, Card, Group, Progress, Stack, Text, Title, Tooltip } from '@mantine/core';
import { Link } from 'react-router';
import { DomainStatus } from '../../components/domain-status.tsx';
import { formatNumber, formatShareOrDash, Time } from '../../components/format.tsx';
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
        {domains.map((domain) => {
          const { id, name } = domain;
          return (
            <Group key={id} justify="space-between" wrap="nowrap" gap="xs">
              <Tooltip label={name} openDelay={300}>
                <Button
                  variant={chosen === id ? 'light' : 'subtle'}
                  size="compact-sm"
                  aria-pressed={chosen === id}
                  onClick={() => choose(chosen === id ? null : id)}
                  className="name-shrinks"
                >
                  {name}
                </Button>
              </Tooltip>
              <Group gap="sm" wrap="nowrap" className="figures-shrink">
                <Figures row={counts.get(id)} />
                <Box>
                  <DomainStatus domain={domain} />
                </Box>
                <Anchor
                  component={Link}
                  to={`/domains/${id}`}
                  size="xs"
                  className="target"
                  aria-label={`Settings of ${name}`}
                >
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

type Row = NonNullable<OverviewQuery['today']['data']>[number];

/** Long figures are shortened before the name. */
function Figures({ row }: { row: Row | undefined }) {
  const figures = figuresOf(row);
  return (
    <Text size="xs" c="dimmed" visibleFrom="xs" truncate={figures !== NOTHING_SENT} style={{ whiteSpace: 'nowrap' }}>
      {figures}
    </Text>
  );
}

const NOTHING_SENT = 'nothing sent yet';

/** `1,200 delivered, 2.1% of 1,230 bounced`; the share is that of settled recipients. */
function figuresOf(row: Row | undefined): string {
  if (!row?.accepted && !row?.delivered && !row?.bounced) return NOTHING_SENT;
  const delivered = `${formatNumber(row.delivered ?? 0)} delivered`;
  if (!row.settled) return delivered;
  return `${delivered}, ${formatShareOrDash(row.bouncedOfSettled)} of ${formatNumber(row.settled)} bounced`;
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
