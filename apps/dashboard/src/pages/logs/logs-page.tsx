import { Text } from '@mantine/core';
import { IconListDetails } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { useConnection } from '../../api/use-connection.ts';
import { Facts, type Fact } from '../../components/facts.tsx';
import { PERIOD, useFilters, usePeriod, type FilterField } from '../../components/filters.tsx';
import { Copyable, ExactTime, Time } from '../../components/format.tsx';
import { ListPage } from '../../components/list-page.tsx';
import type { Column } from '../../components/list.tsx';
import { ApiKeysDocument, RequestLogDocument, type RequestLogQuery } from '../../graphql/generated.ts';

type LoggedRequest = RequestLogQuery['requestLog']['nodes'][number];

const FILTERS = ['status', 'method', 'endpoint', 'key', ...PERIOD] as const;
const METHODS = ['GET', 'POST', 'PATCH', 'PUT', 'DELETE'];
const STATUSES = [
  { value: '2xx', label: 'Successful (2xx)' },
  { value: '4xx', label: 'Refused (4xx)' },
  { value: '5xx', label: 'Failed (5xx)' },
];

const COLUMNS: Column<LoggedRequest>[] = [
  {
    title: 'Request',
    width: 'minmax(0, 3fr)',
    render: ({ method, endpoint }) => <span className="mono">{`${method} ${endpoint}`}</span>,
  },
  {
    title: 'Status',
    width: '70px',
    render: ({ responseStatus }) => (
      <Text span size="sm" fw={600} c={responseStatus >= 500 ? 'red' : responseStatus >= 400 ? 'orange' : 'teal'}>
        {responseStatus}
      </Text>
    ),
  },
  { title: 'Error', width: 'minmax(0, 1fr)', from: 'md', render: ({ error }) => error ?? '' },
  { title: 'Took', width: '80px', from: 'sm', render: ({ latencyMs }) => `${latencyMs} ms` },
  { title: 'When', width: '130px', from: 'sm', render: ({ createdAt }) => <Time at={createdAt} /> },
];

const fieldsOf = (keys: ReadonlyMap<string, string>): FilterField<(typeof FILTERS)[number]>[] => [
  { kind: 'choice', name: 'status', label: 'Status', placeholder: 'Any status', data: STATUSES, w: 160 },
  { kind: 'choice', name: 'method', label: 'Method', placeholder: 'Any method', data: METHODS, w: 140 },
  {
    kind: 'text',
    name: 'endpoint',
    label: 'Path',
    placeholder: 'Path, such as /emails',
    problemOf: (text) => (text.startsWith('/') ? null : 'A path starts with /'),
  },
  {
    kind: 'choice',
    name: 'key',
    label: 'API key',
    placeholder: 'Any API key',
    searchable: true,
    data: [...keys].map(([value, label]) => ({ value, label })),
  },
  { kind: 'period' },
];

export function LogsPage() {
  const [{ data }] = useQuery({ query: ApiKeysDocument });
  const keys = useMemo(() => new Map((data?.apiKeys ?? []).map(({ id, name }) => [id, name])), [data]);
  const filters = useFilters(FILTERS);
  const { status, method, endpoint, key } = filters.values;
  const { from, to } = usePeriod(filters);
  const filter = { status, method, endpoint, apiKeyId: key, createdAfter: from, createdBefore: to };
  return (
    <ListPage
      title="Request log"
      description="Requests with API keys of this account in the last 30 days. Bodies are not stored."
      filters={filters}
      fields={fieldsOf(keys)}
      label="Requests"
      list={useConnection(RequestLogDocument, { filter }, ({ requestLog }) => requestLog)}
      columns={COLUMNS}
      second={({ error, createdAt }) => [error, <Time key="at" at={createdAt} />]}
      dialog={(request) => ({
        title: 'Request',
        children: <Detail request={request} keyName={keys.get(request.apiKeyId)} />,
      })}
      empty={{
        icon: IconListDetails,
        title: 'No requests',
        text: 'Every request with an API key appears here, including refused ones.',
      }}
    />
  );
}

function Detail({ request, keyName }: { request: LoggedRequest; keyName: string | undefined }) {
  const { requestId, method, endpoint, responseStatus, error, ip, userAgent, apiKeyId, latencyMs, createdAt } = request;
  const facts: Fact[] = [
    ['Request', `${method} ${endpoint}`],
    ['Response', [responseStatus, error].filter(Boolean).join(' ')],
    ['Time', <ExactTime key="at" at={createdAt} />],
    ['Took', `${latencyMs} ms`],
    ['Request ID', <Copyable key="id" value={requestId} label="Copy request ID" />],
    ['API key', keyName === undefined ? apiKeyId : `${keyName} (${apiKeyId})`],
    ['IP address', ip ?? '–'],
    ['User agent', userAgent ?? '–'],
  ];
  return <Facts facts={facts} />;
}
