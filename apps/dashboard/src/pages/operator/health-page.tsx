import { Alert, Anchor, Badge, Card, Group, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Link } from 'react-router';
import { isReadable, useOutage, type Part } from '../../api/outage.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { Figure } from '../../components/figure.tsx';
import { formatBytes, formatNumber, Time } from '../../components/format.tsx';
import { Readiness } from '../../components/outage.tsx';
import { Page } from '../../components/page.tsx';
import { OperatorHealthDocument } from '../../graphql/generated.ts';
import { Activity } from './health/activity.tsx';
import { formatDuration, type Health } from './health/figures.ts';
import { Held } from './health/held.tsx';
import { Storage } from './health/storage.tsx';

const EVERY_MS = 10_000;
const MODES: Record<string, string> = {
  mx: 'directly to the receiving servers',
  smarthost: 'through a smarthost',
  capture: 'captured: no mail leaves this machine',
};
/** The page with more about a problem. */
const PAGE_OF: Record<string, string> = {
  delivery_blocked: '/operator/queues',
  throttled: '/operator/queues',
  late: '/operator/queues',
  event_log: '/operator/event-log',
  certificate: '/operator/doctor',
};

/** Shows what was known last while the database does not answer, and after a reload the state of the process alone. */
export function OperatorHealthPage() {
  const { data, error, refresh } = useFreshQuery(OperatorHealthDocument, {}, EVERY_MS);
  const outage = useOutage();
  if (!data && outage)
    return (
      <Page title="Service" description="What the process knows of itself.">
        <Parts parts={outage.parts} />
      </Page>
    );
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  const { health, throttles } = data.operator;
  return (
    <Page title="Service" description={descriptionOf(health)}>
      {isReadable(outage) && <State health={health} />}
      <Activity health={health} />
      <Held throttles={throttles} waiting={health.waiting} />
      <Engines health={health} />
      <Storage health={health} />
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Parts parts={outage?.parts ?? health.parts} />
        <Programs health={health} />
      </SimpleGrid>
    </Page>
  );
}

function descriptionOf({ serviceDomain, version, deliveryMode, isSignUpOpen }: Health): string {
  const mode = `mail is ${deliveryMode === 'capture' ? '' : 'sent '}${MODES[deliveryMode] ?? deliveryMode}`;
  return `${serviceDomain} · Postloft ${version} · ${mode} · sign-up is ${isSignUpOpen ? 'open' : 'closed'}`;
}

/** Green, yellow or red, with what needs attention. */
function State({ health: { state, problems } }: { health: Health }) {
  if (state === 'ok')
    return (
      <Alert color="teal" icon={<IconCircleCheck />} title="All systems operational" data-service-state={state}>
        Mail is accepted, delivered and counted.{' '}
        <Anchor component={Link} to="/operator/doctor" size="sm">
          The doctor
        </Anchor>{' '}
        also checks DNS, certificates and reputation.
      </Alert>
    );
  const title = problems.length === 1 ? 'One problem needs attention' : `${problems.length} problems need attention`;
  return (
    <Alert
      color={state === 'critical' ? 'red' : 'yellow'}
      icon={<IconAlertTriangle />}
      title={title}
      data-service-state={state}
    >
      <Stack gap="xs">
        {problems.map((problem) => (
          <Problem key={problem.message} problem={problem} />
        ))}
      </Stack>
    </Alert>
  );
}

function Problem({ problem: { kind, severity, message, reply, since } }: { problem: Health['problems'][number] }) {
  const page = PAGE_OF[kind];
  return (
    <div>
      <Text size="sm" fw={severity === 'critical' ? 600 : undefined}>
        {message}
        {since && (
          <>
            {' '}
            Since <Time at={since} />.
          </>
        )}{' '}
        {page && (
          <Anchor component={Link} to={page} size="sm">
            Details
          </Anchor>
        )}
      </Text>
      {reply && (
        <Text size="xs" className="mono break">
          {reply}
        </Text>
      )}
    </div>
  );
}

function Engines({ health }: { health: Health }) {
  const { database, statistics } = health;
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Figure
        name="PostgreSQL"
        value={database.version}
        note={`${formatNumber(database.connectionsUsed)} of ${formatNumber(database.connectionsAllowed)} connections`}
      />
      <Figure
        name="Statistics store"
        value={statistics.problem === null ? 'ready' : 'unavailable'}
        note={statistics.engine === 'embedded' ? 'chDB in the process' : `ClickHouse ${statistics.version ?? ''}`}
        color={statistics.problem === null ? undefined : 'red'}
      />
      <Figure name="Postloft" value={health.version} note={`Node.js ${health.nodeVersion}`} />
      <Figure
        name="Process"
        value={formatDuration(health.uptimeSeconds)}
        note={`${formatBytes(health.memoryBytes)} of memory`}
      />
    </SimpleGrid>
  );
}

function Parts({ parts }: { parts: readonly Part[] }) {
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Readiness
      </Title>
      <Readiness parts={parts} />
    </Card>
  );
}

function Programs({ health: { programs } }: { health: Health }) {
  return (
    <Card withBorder>
      <Group justify="space-between" mb="xs">
        <Title order={2} size="h5">
          Programs
        </Title>
      </Group>
      <Table aria-label="Programs">
        <Table.Tbody>
          {programs.map(({ program, isAlive, silentSeconds }, i) => (
            // Several copies have the same name.
            <Table.Tr key={`${program} ${i}`}>
              <Table.Td>{program}</Table.Td>
              <Table.Td ta="right">
                <Badge variant="light" tt="none" color={isAlive ? 'teal' : 'red'}>
                  {isAlive ? 'running' : `no report for ${formatDuration(silentSeconds)}`}
                </Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      {programs.length === 0 && (
        <Text size="sm" c="dimmed">
          No program that delivers mail or calls webhooks is running.
        </Text>
      )}
    </Card>
  );
}
