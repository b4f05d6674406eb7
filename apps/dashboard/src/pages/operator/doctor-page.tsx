import {
  Accordion,
  Alert,
  Badge,
  Button,
  Code,
  Group,
  Progress,
  Stack,
  Tabs,
  Text,
  TextInput,
  ThemeIcon,
} from '@mantine/core';
import { IconAlertTriangle, IconCheck, IconMinus, IconStethoscope, IconX, type Icon } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { useOperation } from '../../api/use-operation.ts';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { downloadText } from '../../components/download.ts';
import { Empty, Failure, Loading } from '../../components/feedback.tsx';
import { Copy, Time } from '../../components/format.tsx';
import { Page } from '../../components/page.tsx';
import { useChange } from '../../components/use-change.ts';
import {
  DoctorDocument,
  RunDoctorDocument,
  ServiceZoneDocument,
  type DoctorRunPartsFragment,
} from '../../graphql/generated.ts';

type Run = DoctorRunPartsFragment;
type Check = Run['checks'][number];
type Result = Check['results'][number];

const RUNNING_MS = 700;
const RANK: Record<Result['status'], number> = { error: 0, warning: 1, skipped: 2, ok: 3 };
const LOOKS: Record<Result['status'], { icon: Icon; color: string; label: string }> = {
  ok: { icon: IconCheck, color: 'teal', label: 'ok' },
  warning: { icon: IconAlertTriangle, color: 'orange', label: 'warning' },
  error: { icon: IconX, color: 'red', label: 'error' },
  skipped: { icon: IconMinus, color: 'gray', label: 'skipped' },
};

export function OperatorDoctorPage() {
  const [tab, setTab] = useState<string | null>('doctor');
  return (
    <Page title="Doctor" description="Checks whether mail will be delivered, and how to fix what is wrong.">
      <Tabs value={tab} onChange={setTab}>
        <Tabs.List mb="md">
          <Tabs.Tab value="doctor">Checks</Tabs.Tab>
          <Tabs.Tab value="zone">DNS records</Tabs.Tab>
        </Tabs.List>
        <Tabs.Panel value="doctor">
          <Checks />
        </Tabs.Panel>
        <Tabs.Panel value="zone">{tab === 'zone' && <Zone />}</Tabs.Panel>
      </Tabs>
    </Page>
  );
}

function Checks() {
  const [running, setRunning] = useState(false);
  const { data, error, refresh } = useFreshQuery(DoctorDocument, {}, running ? RUNNING_MS : null);
  const run = data?.operator.doctor ?? null;
  const isRunning = run?.state === 'running';
  if (data && running !== isRunning) setRunning(isRunning);
  if (error && !data) return <Failure error={error} retry={refresh} />;
  if (!data) return <Loading />;
  return (
    <Stack>
      <Start running={running} started={refresh} />
      {run === null ? (
        <Empty icon={IconStethoscope} title="No checks yet">
          The doctor checks DNS records, reverse DNS, block lists, certificates, ports, the clock, the disk and the
          engines. It takes at most 20 seconds and changes nothing.
        </Empty>
      ) : (
        <Report run={run} />
      )}
    </Stack>
  );
}

function Start({ running, started }: { running: boolean; started: () => void }) {
  const start = useOperation(RunDoctorDocument);
  const [domain, setDomain] = useState('');
  const [busy, change] = useChange();
  const begin = async () => {
    await start({ domain: domain.trim() || null });
    started();
  };
  return (
    <Group align="flex-end" gap="xs">
      <TextInput
        label="Also check a customer’s domain"
        placeholder="example.com (optional)"
        value={domain}
        onChange={(event) => setDomain(event.currentTarget.value)}
        w={{ base: '100%', xs: 300 }}
      />
      <Button
        leftSection={<IconStethoscope size={16} />}
        loading={busy || running}
        onClick={() => change(begin, 'The checks are running.')}
      >
        Run the doctor
      </Button>
    </Group>
  );
}

function Report({ run: { state, startedAt, domain, checks } }: { run: Run }) {
  const results = checks.flatMap((check) => check.results);
  const count = (status: Result['status']) => results.filter((result) => result.status === status).length;
  const ended = checks.filter((check) => check.ended).length;
  const open = checks.filter((check) => isBad(check)).map(({ name }) => name);
  return (
    <Stack gap="sm">
      {state === 'running' && (
        <div>
          <Text size="sm" mb={4}>
            {ended} of {checks.length} checks
          </Text>
          <Progress value={(ended / Math.max(checks.length, 1)) * 100} animated aria-label="Progress of the doctor" />
        </div>
      )}
      {state === 'interrupted' && (
        <Alert color="yellow" title="The last run was interrupted">
          Its process ended. Run the doctor again.
        </Alert>
      )}
      <Group gap="xs">
        {(['error', 'warning', 'ok', 'skipped'] as const).map((status) => (
          <Badge key={status} variant="light" color={count(status) > 0 ? LOOKS[status].color : 'gray'} tt="none">
            {count(status)} {LOOKS[status].label}
            {count(status) !== 1 && (status === 'error' || status === 'warning') && 's'}
          </Badge>
        ))}
        <Text size="xs" c="dimmed">
          <Time at={startedAt} />
          {domain !== null && ` · with ${domain}`}
        </Text>
      </Group>
      <Accordion variant="separated" multiple defaultValue={open} key={`${state} ${startedAt}`}>
        {checks.map((check) => (
          <CheckItem key={check.name} check={check} />
        ))}
      </Accordion>
    </Stack>
  );
}

const isBad = ({ results }: Check): boolean => results.some(({ status }) => status === 'error' || status === 'warning');

function CheckItem({ check: { name, title, ended, results } }: { check: Check }) {
  const sorted = [...results].sort((a, b) => RANK[a.status] - RANK[b.status]);
  const worst = sorted.at(0)?.status ?? 'skipped';
  return (
    <Accordion.Item value={name}>
      <Accordion.Control icon={<Mark status={ended ? worst : null} />} disabled={!ended}>
        <Text fw={500}>{title}</Text>
        {ended && (
          <Text size="xs" c="dimmed" lineClamp={1}>
            {sorted[0] ? `${sorted[0].subject}: ${sorted[0].message}` : 'Nothing to report.'}
          </Text>
        )}
      </Accordion.Control>
      <Accordion.Panel>
        <Stack gap="md">
          {sorted.map(({ status, subject, message, fix }) => (
            <Group key={`${subject} ${message}`} align="flex-start" wrap="nowrap" gap="sm">
              <Mark status={status} />
              <Stack gap={4} miw={0} flex={1}>
                <Text size="sm" className="break">
                  <b>{subject}</b>: {message}
                </Text>
                {fix !== null && (
                  <Group gap={4} wrap="nowrap" align="flex-start">
                    <Code block className="break" style={{ whiteSpace: 'pre-wrap', flex: 1 }}>
                      {fix}
                    </Code>
                    <Copy value={fix} label="Copy the fix" />
                  </Group>
                )}
              </Stack>
            </Group>
          ))}
        </Stack>
      </Accordion.Panel>
    </Accordion.Item>
  );
}

function Mark({ status }: { status: Result['status'] | null }) {
  const {
    icon: Symbol,
    color,
    label,
  } = status === null ? { icon: IconMinus, color: 'gray', label: 'running' } : LOOKS[status];
  return (
    <ThemeIcon size={22} radius="xl" variant="light" color={color} role="img" aria-label={label}>
      <Symbol size={14} />
    </ThemeIcon>
  );
}

function Zone() {
  const [{ data, error }] = useQuery({ query: ServiceZoneDocument, requestPolicy: 'network-only' });
  if (error) return <Failure error={error} />;
  if (!data) return <Loading />;
  const { addresses, text, dkim, dkimTruncated } = data.operator.zone;
  return (
    <Stack>
      <Text size="sm" c="dimmed">
        Publish these records in the DNS of the service domain.{' '}
        {addresses.length === 0
          ? 'This machine has no public address: insert the address that other hosts see.'
          : `Mail is sent from ${addresses.join(', ')}; its PTR records are set at the provider of the address.`}
      </Text>
      <CodeBlock label="zone file" code={text} />
      {dkim !== '' && (
        <>
          <Group justify="space-between">
            <Text size="sm" c="dimmed">
              Keys of domains whose owners publish CNAME records.
              {dkimTruncated && ' The first 1,000; the command line prints all: npm run -s cli -- domains dkim-zone'}
            </Text>
            <Button size="xs" variant="default" onClick={() => downloadText('dkim.zone', dkim)}>
              Download
            </Button>
          </Group>
          <CodeBlock label="DKIM zone" code={dkim} />
        </>
      )}
    </Stack>
  );
}
