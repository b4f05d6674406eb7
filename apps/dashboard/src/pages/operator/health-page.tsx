import { Alert, Anchor, Badge, Card, Group, Progress, SimpleGrid, Stack, Table, Text, Title } from '@mantine/core';
import { IconAlertTriangle, IconCircleCheck } from '@tabler/icons-react';
import { Link } from 'react-router';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { Figure } from '../../components/figure.tsx';
import { formatBytes, formatNumber } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { OperatorHealthDocument, type OperatorHealthQuery } from '../../graphql/generated.ts';

type Health = OperatorHealthQuery['operator']['health'];
type EventLog = OperatorHealthQuery['operator']['eventLog'];

const EVERY_MS = 10_000;
const LOW_SHARE = 0.1;
const MODES: Record<string, string> = {
  mx: 'directly to the receiving servers',
  smarthost: 'through a smarthost',
  capture: 'captured: no mail leaves this machine',
};

export function OperatorHealthPage() {
  const { data, error, refresh } = useFreshQuery(OperatorHealthDocument, {}, EVERY_MS);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  const { health, eventLog } = data.operator;
  return (
    <Page
      title="Service"
      description={`${health.serviceDomain} · mail is ${health.deliveryMode === 'capture' ? '' : 'sent '}${MODES[health.deliveryMode] ?? health.deliveryMode} · sign-up is ${health.isSignUpOpen ? 'open' : 'closed'}`}
    >
      <Verdict health={health} eventLog={eventLog} />
      <SimpleGrid cols={{ base: 2, md: 4 }}>
        <Figure
          name="PostgreSQL"
          value={health.database.version}
          note={`${formatBytes(health.database.bytes)} of data`}
        />
        <Figure
          name="Connections"
          value={formatNumber(health.database.connectionsUsed)}
          note={`of ${formatNumber(health.database.connectionsAllowed)} allowed`}
        />
        <Figure
          name="Statistics store"
          value={health.statistics.problem === null ? 'ready' : 'unavailable'}
          note={
            health.statistics.engine === 'embedded'
              ? 'chDB in the process'
              : `ClickHouse ${health.statistics.version ?? ''}`
          }
          color={health.statistics.problem === null ? undefined : 'red'}
        />
        <Figure
          name="Process"
          value={duration(health.uptimeSeconds)}
          note={`${formatBytes(health.memoryBytes)} of memory · Node.js ${health.nodeVersion}`}
        />
      </SimpleGrid>
      <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg">
        <Parts health={health} />
        <Programs health={health} />
      </SimpleGrid>
      {health.disk && <Disk disk={health.disk} />}
    </Page>
  );
}

/** Problems that need attention, or the statement that there are none. */
function Verdict({ health, eventLog }: { health: Health; eventLog: EventLog }) {
  const parked = eventLog.consumers.reduce((sum, one) => sum + one.parked, 0);
  const problems = [
    ...health.parts.flatMap(({ part, reason }) => (reason === null ? [] : [`${part}: ${reason}`])),
    ...(health.statistics.problem === null ? [] : [`Statistics: ${health.statistics.problem}`]),
    ...health.programs
      .filter(({ isAlive }) => !isAlive)
      .map(({ program }) => `${program} has not reported for a while`),
    ...(health.disk && health.disk.freeBytes < health.disk.totalBytes * LOW_SHARE ? ['The disk is nearly full'] : []),
  ];
  return (
    <>
      {problems.length === 0 && parked === 0 && (
        <Alert color="teal" icon={<IconCircleCheck />} title="All systems operational">
          Mail is accepted, delivered and counted.{' '}
          <Anchor component={Link} to="/operator/doctor" size="sm">
            The doctor
          </Anchor>{' '}
          also checks DNS, certificates and reputation.
        </Alert>
      )}
      {problems.length > 0 && (
        <Alert
          color="red"
          icon={<IconAlertTriangle />}
          title={problems.length === 1 ? 'One problem needs attention' : `${problems.length} problems need attention`}
        >
          {problems.map((problem) => (
            <Text key={problem} size="sm">
              {problem}
            </Text>
          ))}
        </Alert>
      )}
      {parked > 0 && (
        <Alert color="orange" title={`${formatNumber(parked)} events could not be handled`}>
          <Anchor component={Link} to="/operator/event-log" size="sm">
            See why, and replay or drop them
          </Anchor>
        </Alert>
      )}
    </>
  );
}

function Parts({ health: { parts } }: { health: Health }) {
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Readiness
      </Title>
      <Table>
        <Table.Tbody>
          {parts.map(({ part, reason }) => (
            <Table.Tr key={part}>
              <Table.Td>{part}</Table.Td>
              <Table.Td ta="right">
                <Badge variant="light" tt="none" color={reason === null ? 'teal' : 'red'}>
                  {reason ?? 'ready'}
                </Badge>
              </Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}

function Programs({ health: { programs } }: { health: Health }) {
  return (
    <Card withBorder>
      <Title order={2} size="h5" mb="xs">
        Programs
      </Title>
      <Table>
        <Table.Tbody>
          {programs.map(({ program, isAlive, silentSeconds }, i) => (
            // Several copies have the same name.
            <Table.Tr key={`${program} ${i}`}>
              <Table.Td>{program}</Table.Td>
              <Table.Td ta="right">
                <Badge variant="light" tt="none" color={isAlive ? 'teal' : 'red'}>
                  {isAlive ? 'running' : `no report for ${duration(silentSeconds)}`}
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

function Disk({ disk: { folder, freeBytes, totalBytes } }: { disk: NonNullable<Health['disk']> }) {
  const used = totalBytes === 0 ? 0 : 1 - freeBytes / totalBytes;
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Title order={2} size="h5">
          Disk
        </Title>
        <Text size="sm">{formatBytes(freeBytes)} free</Text>
      </Group>
      <Stack gap={4} mt="xs">
        <Progress value={used * 100} color={used > 1 - LOW_SHARE ? 'red' : undefined} aria-label="Used disk space" />
        <Text size="xs" c="dimmed" className="break">
          {formatBytes(totalBytes - freeBytes)} of {formatBytes(totalBytes)} used · {folder}
        </Text>
      </Stack>
    </Card>
  );
}

function duration(seconds: number): string {
  const units: [string, number][] = [
    ['d', 86_400],
    ['h', 3_600],
    ['min', 60],
  ];
  const [unit, size] = units.find(([, length]) => seconds >= length) ?? ['s', 1];
  return `${Math.floor(seconds / size)} ${unit}`;
}
