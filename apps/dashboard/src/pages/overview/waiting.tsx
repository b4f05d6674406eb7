import { Alert, Anchor, Card, Group, Stack, Text, Title } from '@mantine/core';
import { IconBan, IconClockPause } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useSubscription } from 'urql';
import { isReadable, useOutage } from '../../api/outage.ts';
import { byBlockList, refusalOf } from '../../components/blocks.ts';
import { Failure } from '../../components/feedback.tsx';
import { formatNumber, Time } from '../../components/format.tsx';
import { QueuesLiveDocument, type QueuesLiveSubscription } from '../../graphql/generated.ts';
import { waitingAt } from '../emails/filter.ts';

type Queue = QueuesLiveSubscription['queues'][number];

const SHOWN = 8;
const UNKNOWN = 'Not known at the moment.';
const ALL_WAITING = '/emails?status=waiting';

/** Messages waiting for delivery, by recipient domain and reason. */
export function Waiting() {
  const [{ data, error }] = useSubscription({ query: QueuesLiveDocument });
  const isKnown = isReadable(useOutage());
  const queues = data?.queues ?? [];
  const { lists, others } = byBlockList(queues);
  const total = recipientsOf(queues);
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Waiting for delivery
        </Title>
        {total > 0 && (
          <Anchor component={Link} to={ALL_WAITING} size="xs" className="target">
            {formatNumber(total)} {total === 1 ? 'recipient' : 'recipients'}
          </Anchor>
        )}
      </Group>
      {error && <Failure error={error} />}
      {queues.length === 0 && !error && (
        <Group gap="xs" c="dimmed">
          <IconClockPause size={18} />
          <Text size="sm">{isKnown ? 'Nothing is waiting.' : UNKNOWN}</Text>
        </Group>
      )}
      <Stack gap="sm">
        {lists.map(([list, refusing]) => (
          <Refusing key={list} list={list} queues={refusing} />
        ))}
        {others.slice(0, SHOWN).map((queue) => (
          <QueueEntry key={`${queue.domain} ${queue.reason}`} queue={queue} />
        ))}
        <More count={others.length - SHOWN} />
      </Stack>
    </Card>
  );
}

/** The queues that refuse our address by one block list, which send the same reply. */
function Refusing({ list, queues }: { list: string; queues: readonly Queue[] }) {
  const domains = new Set(queues.map(({ domain }) => domain));
  const since = queues.map((queue) => queue.since).reduce((a, b) => (b < a ? b : a));
  return (
    <Alert color="orange" p="sm" icon={<IconBan />} title={refusalOf(list, domains.size, 'domain')}>
      <Text size="xs" className="break">
        {queues[0].reason}
      </Text>
      <Text size="xs" c="dimmed" mb={4}>
        since <Time at={since} />
      </Text>
      {queues.slice(0, SHOWN).map(({ domain, recipients, host }) => (
        <Group key={`${domain} ${host}`} justify="space-between" wrap="nowrap">
          <Anchor component={Link} to={waitingAt(domain)} size="sm" truncate className="target">
            {domain}
          </Anchor>
          <Text size="sm">{formatNumber(recipients)}</Text>
        </Group>
      ))}
      <More count={queues.length - SHOWN} />
    </Alert>
  );
}

function QueueEntry({ queue: { domain, recipients, reason, since, nextAttemptAt } }: { queue: Queue }) {
  return (
    <div>
      <Group justify="space-between" wrap="nowrap">
        <Anchor component={Link} to={waitingAt(domain)} size="sm" fw={500} truncate className="target">
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
  );
}

function More({ count }: { count: number }) {
  if (count <= 0) return null;
  return (
    <Anchor component={Link} to={ALL_WAITING} size="xs" className="target">
      and {formatNumber(count)} more
    </Anchor>
  );
}

const recipientsOf = (queues: readonly Queue[]): number => queues.reduce((sum, { recipients }) => sum + recipients, 0);
