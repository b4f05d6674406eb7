import { Group, Select, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconHistory } from '@tabler/icons-react';
import { useMemo, useState, type ReactNode } from 'react';
import { useQuery } from 'urql';
import { call } from '../../api/http.ts';
import { useConnection } from '../../api/use-connection.ts';
import { useLoad } from '../../api/use-load.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Empty } from '../../components/feedback.tsx';
import { Copyable, ExactTime, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { ApiKeysDocument, AuditLogDocument, type AuditLogQuery } from '../../graphql/generated.ts';
import { KINDS, sentenceOf, summaryOf } from './actions.ts';

type Entry = AuditLogQuery['auditLog']['nodes'][number];

const PAGE_SIZE = 50;
const DAY_MS = 86_400_000;
const OPERATOR = 'operator';
const PERIODS = [
  { value: '1', label: 'Last 24 hours' },
  { value: '7', label: 'Last 7 days' },
  { value: '30', label: 'Last 30 days' },
];

/** Names of people and keys by their ids; null for somebody who has left. */
function useActors(): Map<string, string> {
  const members = useLoad('audit members', () =>
    call<{ data: { id: string; name: string; email: string }[] }>('GET', '/app/api/members'),
  );
  const [{ data }] = useQuery({ query: ApiKeysDocument });
  return useMemo(
    () =>
      new Map([
        ...(members.data?.data ?? []).map(({ id, name, email }) => [id, name || email] as const),
        ...(data?.apiKeys ?? []).map(({ id, name }) => [id, `Key “${name}”`] as const),
        [OPERATOR, 'Operator of the service'] as const,
      ]),
    [members.data, data],
  );
}

export function AuditLogPage() {
  const actors = useActors();
  const [kind, setKind] = useState<string | null>(null);
  const [actor, setActor] = useState<string | null>(null);
  const [days, setDays] = useState<string | null>(null);
  const filter = useMemo(
    () => ({
      action: kind,
      actor,
      createdAfter: days === null ? null : new Date(Date.now() - Number(days) * DAY_MS).toISOString(),
    }),
    [kind, actor, days],
  );
  const connection = useConnection(
    AuditLogDocument,
    { first: PAGE_SIZE, after: null, filter },
    ({ auditLog }) => auditLog,
  );
  const columns = useMemo(() => columnsFor(actors), [actors]);
  return (
    <Page
      title="Audit log"
      description="Who changed what in this account, when, and from where. Sign-ins are included."
    >
      <Group gap="xs">
        <Select
          aria-label="Kind of action"
          placeholder="Everything"
          clearable
          data={KINDS}
          value={kind}
          onChange={setKind}
          w={200}
        />
        <Select
          aria-label="Who"
          placeholder="Anybody"
          clearable
          searchable
          data={[...actors].map(([value, label]) => ({ value, label }))}
          value={actor}
          onChange={setActor}
          w={220}
        />
        <Select
          aria-label="When"
          placeholder="Any time"
          clearable
          data={PERIODS}
          value={days}
          onChange={setDays}
          w={160}
        />
      </Group>
      <ConnectionList
        label="Actions"
        connection={connection}
        columns={columns}
        keyOf={({ id }) => id}
        onOpen={(entry) =>
          modals.open({
            title: sentenceOf(entry.action),
            size: 'lg',
            children: <Detail entry={entry} who={actors.get(entry.actor)} />,
          })
        }
        empty={
          <Empty icon={IconHistory} title="No actions">
            {kind === null && actor === null && days === null
              ? 'Sign-ins, changes of members, removed suppressions and rotated keys appear here.'
              : 'Nothing matches these filters.'}
          </Empty>
        }
      />
    </Page>
  );
}

const columnsFor = (actors: Map<string, string>): Column<Entry>[] => [
  { title: 'What', width: 'minmax(0, 2fr)', render: ({ action }) => sentenceOf(action) },
  {
    title: 'Details',
    width: 'minmax(0, 2fr)',
    from: 'md',
    render: ({ details }) => (
      <Text span size="sm" c="dimmed">
        {summaryOf(details)}
      </Text>
    ),
  },
  {
    title: 'Who',
    width: 'minmax(0, 2fr)',
    render: ({ actor, createdAt }) => (
      <>
        {actors.get(actor) ?? actor}
        <Text size="xs" c="dimmed" hiddenFrom="xs">
          <Time at={createdAt} />
        </Text>
      </>
    ),
  },
  { title: 'From', width: '140px', from: 'md', render: ({ ip }) => ip ?? '–' },
  { title: 'When', width: '130px', from: 'xs', render: ({ createdAt }) => <Time at={createdAt} /> },
];

function Detail({ entry, who }: { entry: Entry; who: string | undefined }) {
  const { action, actor, target, details, ip, createdAt } = entry;
  const rows: [string, ReactNode][] = [
    ['Action', action],
    ['Who', who ?? '–'],
    ['Their id', <Copyable key="actor" value={actor} label="Copy the id of who did it" />],
    ['Changed', <Copyable key="target" value={target} label="Copy the id of what was changed" />],
    ['From', ip ?? '–'],
    ['When', <ExactTime key="at" at={createdAt} />],
  ];
  return (
    <Stack>
      <Table>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={100}>{name}</Table.Th>
              <Table.Td className="break">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
      <CodeBlock label="details" code={JSON.stringify(details, null, 2)} />
    </Stack>
  );
}
