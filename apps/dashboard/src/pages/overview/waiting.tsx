import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconClockPause } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useSubscription } from 'urql';
import { Failure } from '../../components/feedback.tsx';
import { formatNumber, Time } from '../../components/format.tsx';
import { QueuesLiveDocument } from '../../graphql/generated.ts';
import { waitingAt } from '../emails/filter.ts';

const SHOWN = 8;

/** Messages waiting for delivery, by recipient domain and reason. */
export function Waiting() {
  const [{ data, error }] = useSubscription({ query: QueuesLiveDocument });
  const queues = data?.queues ?? [];
  const total = queues.reduce((sum, { recipients }) => sum + recipients, 0);
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Waiting for delivery
        </Title>
        {total > 0 && (
          <Anchor component={Link} to="/emails?status=waiting" size="xs">
            {formatNumber(total)} {total === 1 ? 'recipient' : 'recipients'}
          </Anchor>
        )}
      </Group>
      {error && <Failure error={error} />}
      {queues.length === 0 && !error && (
        <Group gap="xs" c="dimmed">
          <IconClockPause size={18} />
          <Text size="sm">Nothing is waiting.</Text>
        </Group>
      )}
      <Stack gap="sm">
        {queues.slice(0, SHOWN).map(({ domain, recipients, reason, since, nextAttemptAt }) => (
          <div key={`${domain} ${reason}`}>
            <Group justify="space-between" wrap="nowrap">
              <Anchor component={Link} to={waitingAt(domain)} size="sm" fw={500} truncate>
                {domain}
              </Anchor>
              <Text size="sm">{formatNumber(recipients)}</Text>
            </Group>
            <Text size="xs" className="break">
              {reason}
            </Text>
            <Text size="xs" c="dimmed">
              since <Time at={since} />
              {nextAttemptAt && (
                <>
                  , next attempt <Time at={nextAttemptAt} />
                </>
              )}
            </Text>
          </div>
        ))}
        {queues.length > SHOWN && (
          <Text size="xs" c="dimmed">
            and {queues.length - SHOWN} more
          </Text>
        )}
      </Stack>
    </Card>
  );
}
