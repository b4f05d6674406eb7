import { Stack } from '@mantine/core';
import { IconHistory } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { call } from '../../api/http.ts';
import { useSession } from '../../api/session.tsx';
import { useConnection } from '../../api/use-connection.ts';
import { useLoad } from '../../api/use-load.ts';
import { CodeBlock } from '../../components/code-block.tsx';
import { Facts, type Fact } from '../../components/facts.tsx';
import { PERIOD, useFilters, usePeriod } from '../../components/filters.tsx';
import { Copyable, ExactTime, Time } from '../../components/format.tsx';
import { ListPage } from '../../components/list-page.tsx';
import { ApiKeysDocument, AuditLogDocument, type AuditLogQuery } from '../../graphql/generated.ts';
import { KINDS, sentenceOf, summaryOf } from './actions.ts';

type Entry = AuditLogQuery['auditLog']['nodes'][number];

const OPERATOR = 'operator';
const FILTERS = ['kind', 'actor', ...PERIOD] as const;

/** Names of people and keys, by their ids. */
function useActors(): Map<string, string> {
  const members = useLoad('audit members', () =>
    call<{ data: { id: string; name: string; email: string }[] }>('GET', '/app/api/members'),
  );
  const [{ data }] = useQuery({ query: ApiKeysDocument, pause: !useSession().may('api_keys.read') });
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
  const list = useConnection(
    AuditLogDocument,
    { filter: { action: kind, actor, createdAfter: from, createdBefore: to } },
    ({ auditLog }) => auditLog,
  );
  const whoOf = (entry: Entry) => actors.get(entry.actor) ?? entry.actor;
  const people = [...actors].map(([value, label]) => ({ value, label }));
  return (
    <ListPage
      title="Audit log"
      description="Who changed what in this account, when and from where, including sign-ins."
      filters={filters}
      fields={[
        { kind: 'choice', name: 'kind', label: 'Kind of action', placeholder: 'All actions', data: KINDS },
        { kind: 'choice', name: 'actor', label: 'Who', placeholder: 'Anyone', searchable: true, data: people },
        { kind: 'period' },
      ]}
      label="Actions"
      list={list}
      columns={[
        { title: 'Action', width: 'minmax(0, 2fr)', render: ({ action }) => sentenceOf(action) },
        { title: 'Details', width: 'minmax(0, 2fr)', from: 'md', render: ({ details }) => summaryOf(details) },
        { title: 'Who', width: 'minmax(0, 2fr)', from: 'sm', render: whoOf },
        { title: 'IP address', width: '140px', from: 'md', render: ({ ip }) => ip ?? '–' },
        { title: 'When', width: '130px', from: 'sm', render: ({ createdAt }) => <Time at={createdAt} /> },
      ]}
      second={(entry) => [whoOf(entry), <Time key="at" at={entry.createdAt} />]}
      dialog={(entry) => ({
        title: sentenceOf(entry.action),
        children: <Detail entry={entry} who={actors.get(entry.actor)} />,
      })}
      empty={{
        icon: IconHistory,
        title: 'No actions',
        text: 'Sign-ins, changes of members, removed suppressions and rotated keys appear here.',
      }}
    />
  );
}

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
