import { Anchor, Card, Group, Stack, Text, Title } from '@mantine/core';
import { Link } from 'react-router';
import { byBlockList, refusalOf } from '../../../components/blocks.ts';
import { formatNumber, Time } from '../../../components/format.tsx';
import type { Health, Throttle } from './figures.ts';

const SHOWN = 8;
const QUEUES = '/operator/queues';
const STATES: Record<Throttle['state'], string> = {
  suspended: 'paused',
  slow_down: 'slowed down',
  warm_up: 'warm-up paused',
};

/** Recipients held back, with the reason and the time since when. */
export function Held({ throttles, waiting }: { throttles: readonly Throttle[]; waiting: Health['waiting'] }) {
  const { lists, others } = byBlockList(throttles);
  const reasons = [
    [waiting.retry, 'Waiting for the next attempt after a temporary failure'],
    [waiting.account, 'Held because the account is blocked, overdue or paused'],
    [waiting.scheduled, 'Scheduled for later'],
  ] as const;
  const shown = reasons.filter(([count]) => count > 0);
  if (throttles.length === 0 && shown.length === 0) return null;
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          What is held
        </Title>
        <Anchor component={Link} to={QUEUES} size="xs" className="target">
          Queues
        </Anchor>
      </Group>
      <Stack gap="sm">
        {lists.map(([list, held]) => (
          <HeldGroup key={list} title={refusalOf(list, queuesOf(held).length)} held={held} />
        ))}
        {others.slice(0, SHOWN).map((one) => (
          <HeldGroup
            key={`${one.queue} ${one.source} ${one.state}`}
            title={`${nameOf(one.queue)} is ${STATES[one.state]}`}
            held={[one]}
          />
        ))}
        {others.length > SHOWN && (
          <Anchor component={Link} to={QUEUES} size="xs" className="target">
            and {formatNumber(others.length - SHOWN)} more
          </Anchor>
        )}
        {shown.map(([count, what]) => (
          <Group key={what} justify="space-between" wrap="nowrap" align="flex-start">
            <Text size="sm">{what}</Text>
            <Recipients count={count} />
          </Group>
        ))}
      </Stack>
    </Card>
  );
}

/** Throttles with the same cause, with the reply for which most recipients wait. */
function HeldGroup({ title, held }: { title: string; held: readonly Throttle[] }) {
  const queues = queuesOf(held);
  const [largest] = held.toSorted((a, b) => b.waiting - a.waiting);
  const since = held.map((one) => one.since).reduce((a, b) => (b < a ? b : a));
  const until = held.map((one) => one.until).reduce((a, b) => (b > a ? b : a));
  const recipients = queues.reduce((sum, { waiting }) => sum + waiting, 0);
  return (
    <div>
      <Group justify="space-between" wrap="nowrap" align="flex-start">
        <Text size="sm" fw={600} className="break">
          {title}
        </Text>
        <Recipients count={recipients} />
      </Group>
      {largest.words !== null && (
        <Text size="xs" className="mono break">
          {largest.mx}: {largest.words}
        </Text>
      )}
      <Text size="xs" c="dimmed" className="break">
        since <Time at={since} />, until <Time at={until} />
        {queues.length > 1 && ` · ${queues.map(({ queue }) => nameOf(queue)).join(', ')}`}
      </Text>
    </div>
  );
}

function Recipients({ count }: { count: number }) {
  return (
    <Text size="sm" style={{ whiteSpace: 'nowrap' }}>
      {formatNumber(count)} {count === 1 ? 'recipient' : 'recipients'}
    </Text>
  );
}

/** A queue is held once for each source address. */
const queuesOf = (held: readonly Throttle[]): Throttle[] => [...new Map(held.map((one) => [one.queue, one])).values()];

const nameOf = (queue: string): string => queue.replace(/^penalty:(.*)$/, '$1 (penalty pool)').replace(/^domain:/, '');
