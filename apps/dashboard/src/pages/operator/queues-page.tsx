import { Anchor, Badge, Button, Card, Group, Progress, SimpleGrid, Stack, Text, Title } from '@mantine/core';
import { IconClockPause, IconPlayerPlay } from '@tabler/icons-react';
import { Link } from 'react-router';
import { isReadable, useOutage } from '../../api/outage.ts';
import { useOperation } from '../../api/use-operation.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { confirm } from '../../components/confirm.tsx';
import { Empty, Failure, Loading, notifyDone } from '../../components/feedback.tsx';
import { Figure } from '../../components/figure.tsx';
import { formatNumber, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { providerLabel } from '../../components/providers.ts';
import { THROTTLE_CAUSES, WAITING_FOR } from '../../generated/constants.ts';
import { OperatorQueuesDocument, ResumeQueueDocument, type OperatorQueuesQuery } from '../../graphql/generated.ts';
import { waitingAt } from '../emails/filter.ts';

type Operator = OperatorQueuesQuery['operator'];
type Throttle = Operator['throttles'][number];

const EVERY_MS = 5_000;
const STATES: Record<string, { label: string; color: string }> = {
  suspended: { label: 'Suspended', color: 'red' },
  slow_down: { label: 'Slowed down', color: 'orange' },
  warm_up: { label: 'Warm-up paused', color: 'yellow' },
  warm: { label: 'Warm', color: 'teal' },
  warming_up: { label: 'Warming up', color: 'blue' },
  not_started: { label: 'Not started', color: 'gray' },
};

export function OperatorQueuesPage() {
  const { data, error, refresh } = useFreshQuery(OperatorQueuesDocument, {}, EVERY_MS);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  const { queues, throttles, sources } = data.operator;
  const sum = (waitingFor: string) =>
    queues
      .flatMap(({ waits }) => waits.filter((wait) => wait.waitingFor === waitingFor))
      .reduce((all, { recipients }) => all + recipients, 0);
  return (
    <Page
      title="Queues"
      description="Mail of all accounts that is waiting for delivery, the reasons, and the addresses that mail is sent from."
    >
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          name="Waiting recipients"
          value={formatNumber(queues.reduce((all, { recipients }) => all + recipients, 0))}
          note={`at ${formatNumber(queues.length)} providers`}
        />
        <Figure
          name="Held back"
          value={formatNumber(sum('shaping'))}
          note="by a limit or a penalty"
          color={sum('shaping') > 0 ? 'orange' : undefined}
        />
        <Figure name="Waiting for a retry" value={formatNumber(sum('retry'))} note="after a temporary failure" />
        <Figure
          name="Throttled queues"
          value={formatNumber(throttles.length)}
          note={throttles.length === 0 ? 'nothing is suspended' : 'see below for the cause'}
          color={throttles.some(({ state }) => state === 'suspended') ? 'red' : undefined}
        />
      </SimpleGrid>
      <Throttles throttles={throttles} refresh={refresh} />
      <Providers queues={queues} />
      <Sources sources={sources} />
    </Page>
  );
}

function Throttles({ throttles, refresh }: { throttles: Operator['throttles']; refresh: () => void }) {
  const resume = useOperation(ResumeQueueDocument);
  const ask = (throttle: Pick<Throttle, 'queue' | 'mx' | 'words' | 'waiting'>) =>
    confirm({
      title: `Resume ${nameOf(throttle)}?`,
      text: <Release {...throttle} />,
      confirm: 'Resume',
      keep: 'Keep waiting',
      run: async () => {
        await resume({ queue: throttle.queue });
        notifyDone(`${nameOf(throttle)} has been resumed; its emails are due now.`);
        refresh();
      },
    });
  if (throttles.length === 0) return null;
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="sm">
        Throttles
      </Title>
      <Stack gap="md">
        {byProvider(throttles).map(([provider, held]) => (
          <div key={provider}>
            <Text size="sm" fw={600}>
              {provider}
            </Text>
            {held.map((throttle) => (
              <HeldQueue
                key={`${throttle.queue} ${throttle.source ?? ''} ${throttle.state}`}
                throttle={throttle}
                isOneOfSeveral={held.some(({ queue }) => queue !== throttle.queue)}
                resume={() => ask(throttle)}
              />
            ))}
          </div>
        ))}
      </Stack>
    </Card>
  );
}

interface HeldQueueProps {
  throttle: Throttle;
  /** Whether the provider has other queues that are held back. */
  isOneOfSeveral: boolean;
  resume: () => void;
}

function HeldQueue({ throttle, isOneOfSeveral, resume }: HeldQueueProps) {
  const { queue, source, state, factor, since, until, rule, mx, words, waiting } = throttle;
  return (
    <Group justify="space-between" align="flex-start" gap="sm" mt={4}>
      <Stack gap={2} miw={{ base: '100%', sm: 0 }} flex={1}>
        <Group gap="xs">
          <Badge variant="light" tt="none" color={STATES[state].color}>
            {STATES[state].label}
            {factor !== null && ` to ${Math.round(factor * 100)}%`}
          </Badge>
          <Text size="xs" c="dimmed">
            {[isOneOfSeveral && `queue ${queue}`, source !== null && `from ${source}`].filter(Boolean).join(', ')}
          </Text>
        </Group>
        {words !== null && (
          <Text size="sm" className="mono break">
            {mx}: {words}
          </Text>
        )}
        <Text size="xs" c="dimmed">
          {causeOf(rule)} · since <Time at={since} /> · until <Time at={until} /> · {formatNumber(waiting)}{' '}
          {waiting === 1 ? 'recipient' : 'recipients'} held back
        </Text>
      </Stack>
      <Button
        size="xs"
        variant="default"
        leftSection={<IconPlayerPlay size={14} />}
        aria-label={`Resume ${nameOf({ queue })}`}
        onClick={resume}
      >
        Resume
      </Button>
    </Group>
  );
}

const nameOf = ({ queue }: Pick<Throttle, 'queue'>): string => providerLabel(queue);

/** A provider may have several queues, and a queue several sources: its throttles have one heading. */
function byProvider(throttles: Operator['throttles']): [provider: string, held: Throttle[]][] {
  const groups = new Map<string, Throttle[]>();
  for (const throttle of throttles) groups.set(nameOf(throttle), [...(groups.get(nameOf(throttle)) ?? []), throttle]);
  return [...groups];
}

/** Automations of SHAPING_FILE have no text of their own. */
function causeOf(rule: string): string {
  const text = THROTTLE_CAUSES[rule as keyof typeof THROTTLE_CAUSES] as string | undefined;
  return text === undefined ? `Rule ${rule}` : `The server says that ${text}`;
}

/** The server stops counting here. */
const MAX_WAITING = 10_000;

/** The count that a resumption releases, and the reply of the server that gets it. */
function Release({ mx, words, waiting }: Pick<Throttle, 'mx' | 'words' | 'waiting'>) {
  const count = `${formatNumber(waiting)}${waiting >= MAX_WAITING ? ' or more' : ''} ${waiting === 1 ? 'recipient' : 'recipients'}`;
  if (words === null) return `This makes ${count} due at once, whatever holds them back now.`;
  return (
    <>
      This releases {count} to a server that has refused us:
      <Text size="sm" className="mono break" my="xs">
        {mx}: {words}
      </Text>
      As long as the cause remains, the server refuses them again, which harms the reputation of your addresses.
    </>
  );
}

function Providers({ queues }: { queues: Operator['queues'] }) {
  const isKnown = isReadable(useOutage());
  if (queues.length === 0)
    return (
      <Card withBorder>
        <Empty icon={IconClockPause} title={isKnown ? 'Nothing is waiting' : 'Not known at the moment'}>
          Waiting recipients of all accounts appear here by mailbox provider.
        </Empty>
      </Card>
    );
  return (
    <Card withBorder>
      <Title order={2} size="h5">
        Waiting by provider
      </Title>
      <Text size="xs" c="dimmed" mb="sm">
        Open a domain to see the emails of this account that are waiting there.
      </Text>
      <Stack gap="md">
        {queues.map((queue) => (
          <Provider key={queue.provider} queue={queue} />
        ))}
      </Stack>
    </Card>
  );
}

function Provider({ queue }: { queue: Operator['queues'][number] }) {
  const { provider, recipients, accounts, since, nextAttemptAt, oldestDueAt, waits } = queue;
  return (
    <Group justify="space-between" align="flex-start" wrap="nowrap" gap="md">
      <Stack gap={4} miw={0} flex={1}>
        <Text size="sm" fw={600} className="break">
          {providerLabel(provider)}
        </Text>
        {waits.map(({ domain, waitingFor, recipients: count, reason, code, host }) => (
          <div key={`${domain} ${waitingFor} ${code ?? ''} ${host ?? ''}`}>
            <Text size="xs">
              {formatNumber(count)} {WAITING_FOR[waitingFor]}
              {' · '}
              <Anchor component={Link} to={waitingAt(domain)} inherit underline="always" className="target">
                {domain}
              </Anchor>
            </Text>
            <Text size="xs" c="dimmed" lineClamp={2} className="break">
              {reason}
            </Text>
          </div>
        ))}
      </Stack>
      <Stack gap={0} align="flex-end">
        <Text size="lg" fw={650}>
          {formatNumber(recipients)}
        </Text>
        <Text size="xs" c="dimmed">
          of {formatNumber(accounts)} {accounts === 1 ? 'account' : 'accounts'}
        </Text>
        <Text size="xs" c="dimmed" component="div">
          since <Time at={since} />
        </Text>
        <Text size="xs" c="dimmed" component="div">
          {oldestDueAt !== null && 'due now'}
          {oldestDueAt === null && nextAttemptAt !== null && (
            <>
              next <Time at={nextAttemptAt} />
            </>
          )}
        </Text>
      </Stack>
    </Group>
  );
}

function Sources({ sources }: { sources: Operator['sources'] }) {
  return (
    <Stack gap="sm">
      <Title order={2} size="h5">
        Source addresses
      </Title>
      {sources.length === 0 && (
        <Text size="sm" c="dimmed">
          The operating system chooses the address that mail is sent from. SHAPING_FILE can name source addresses, pools
          and warm-up plans.
        </Text>
      )}
      <SimpleGrid cols={{ base: 1, md: 2 }}>
        {sources.map((source) => (
          <Source key={source.address} source={source} />
        ))}
      </SimpleGrid>
    </Stack>
  );
}

/** The pool of addresses that PENALTY_POOL lists has no name of its own. */
const poolLabel = (pool: string): string => (pool === '(PENALTY_POOL)' ? 'penalty pool' : pool);

function Source({
  source: { address, heloName, pools, state, startedAt, warmUp },
}: {
  source: Operator['sources'][number];
}) {
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Text fw={600}>{address}</Text>
        <Badge variant="light" tt="none" color={STATES[state].color}>
          {STATES[state].label}
        </Badge>
      </Group>
      <Text size="xs" c="dimmed">
        {heloName} · {pools.map(poolLabel).join(', ')}
        {startedAt !== null && state !== 'warm' && (
          <>
            {' '}
            · started <Time at={startedAt} />
          </>
        )}
      </Text>
      {state !== 'warm' && (
        <Stack gap="xs" mt="sm">
          {warmUp.map(({ provider, allowance, used }) => (
            <div key={provider ?? ''}>
              <Group justify="space-between">
                <Text size="xs">{provider === null ? 'every other provider' : providerLabel(provider)}</Text>
                <Text size="xs" c="dimmed">
                  {allowance === null
                    ? `${formatNumber(used)} today, warm`
                    : `${formatNumber(used)} of ${formatNumber(allowance)} today`}
                </Text>
              </Group>
              {provider !== null && allowance !== null && (
                <Progress
                  size="sm"
                  value={(used / Math.max(allowance, 1)) * 100}
                  aria-label={`Used for ${providerLabel(provider)} today`}
                />
              )}
            </div>
          ))}
        </Stack>
      )}
    </Card>
  );
}
