import { Stack, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconHistory } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { call } from '../../api/http.ts';
import { useConnection } from '../../api/use-connection.ts';
import { useLoad } from '../../api/use-load.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Facts, type Fact } from '../../components/facts.tsx';
import { Empty } from '../../components/feedback.tsx';
import { FilterBar, PERIOD, PeriodFilter, SelectFilter, useFilters, usePeriod } from '../../components/filters.tsx';
import { Copyable, ExactTime, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { ApiKeysDocument, AuditLogDocument, type AuditLogQuery } from '../../graphql/generated.ts';
import { KINDS, sentenceOf, summaryOf } from './actions.ts';

type Entry = AuditLogQuery['auditLog']['nodes'][number];

const PAGE_SIZE = 50;
const OPERATOR = 'operator';
const FILTERS = ['kind', 'actor', ...PERIOD] as const;

/** Names of people and keys, by their ids. */
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
  const filters = useFilters(FILTERS);
  const { kind, actor } = filters.values;
  const { from, to } = usePeriod(filters);
  const filter = { action: kind, actor, createdAfter: from, createdBefore: to };
  const connection = useConnection(
    AuditLogDocument,
    { first: PAGE_SIZE, after: null, filter },
    ({ auditLog }) => auditLog,
  );
  const columns = useMemo(() => columnsFor(actors), [actors]);
  return (
    <Page title="Audit log" description="Who changed what in this account, when and from where, including sign-ins.">
      <FilterBar filters={filters}>
        <SelectFilter
          filters={filters}
          name="kind"
          label="Kind of action"
          placeholder="All actions"
          data={KINDS}
          w={200}
        />
        <SelectFilter
          filters={filters}
          name="actor"
          label="Who"
          placeholder="Anyone"
          searchable
          data={[...actors].map(([value, label]) => ({ value, label }))}
          w={220}
        />
        <PeriodFilter filters={filters} />
      </FilterBar>
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
            {filters.isActive
              ? 'No actions match these filters.'
              : 'Sign-ins, changes of members, removed suppressions and rotated keys appear here.'}
          </Empty>
        }
      />
    </Page>
  );
}

const columnsFor = (actors: Map<string, string>): Column<Entry>[] => [
  { title: 'Action', width: 'minmax(0, 2fr)', render: ({ action }) => sentenceOf(action) },
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
  { title: 'IP address', width: '140px', from: 'md', render: ({ ip }) => ip ?? '–' },
  { title: 'When', width: '130px', from: 'xs', render: ({ createdAt }) => <Time at={createdAt} /> },
];

function Detail({ entry, who }: { entry: Entry; who: string | undefined }) {
  const { action, actor, target, details, ip, createdAt } = entry;
  const facts: Fact[] = [
    ['Action', action],
    ['Who', who ?? '–'],
    ['Actor ID', <Copyable key="actor" value={actor} label="Copy actor ID" />],
    ['Target ID', <Copyable key="target" value={target} label="Copy target ID" />],
    ['IP address', ip ?? '–'],
    ['When', <ExactTime key="at" at={createdAt} />],
  ];
  return (
    <Stack>
      <Facts facts={facts} />
      <CodeBlock label="details" code={JSON.stringify(details, null, 2)} />
    </Stack>
  );
}
