import { Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconListDetails } from '@tabler/icons-react';
import { useMemo } from 'react';
import { useQuery } from 'urql';
import { useConnection } from '../../api/use-connection.ts';
import { Facts, type Fact } from '../../components/facts.tsx';
import { Empty } from '../../components/feedback.tsx';
import {
  FilterBar,
  PERIOD,
  PeriodFilter,
  SelectFilter,
  TextFilter,
  useFilters,
  usePeriod,
} from '../../components/filters.tsx';
import { Copyable, ExactTime, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { ApiKeysDocument, RequestLogDocument, type RequestLogQuery } from '../../graphql/generated.ts';

type LoggedRequest = RequestLogQuery['requestLog']['nodes'][number];

const PAGE_SIZE = 50;
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
    render: ({ method, endpoint }) => (
      <span className="mono">
        {method} {endpoint}
      </span>
    ),
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
  { title: 'When', width: '130px', from: 'xs', render: ({ createdAt }) => <Time at={createdAt} /> },
];

export function LogsPage() {
  const [{ data }] = useQuery({ query: ApiKeysDocument });
  const keys = useMemo(() => new Map((data?.apiKeys ?? []).map(({ id, name }) => [id, name])), [data]);
  const filters = useFilters(FILTERS);
  const { status, method, endpoint, key } = filters.values;
  const { from, to } = usePeriod(filters);
  const filter = { status, method, endpoint, apiKeyId: key, createdAfter: from, createdBefore: to };
  const connection = useConnection(
    RequestLogDocument,
    { first: PAGE_SIZE, after: null, filter },
    ({ requestLog }) => requestLog,
  );
  return (
    <Page
      title="Request log"
      description="Requests with API keys of this account in the last 30 days. Bodies are not stored."
    >
      <FilterBar filters={filters}>
        <SelectFilter filters={filters} name="status" label="Status" placeholder="Any status" data={STATUSES} w={160} />
        <SelectFilter filters={filters} name="method" label="Method" placeholder="Any method" data={METHODS} w={140} />
        <TextFilter
          filters={filters}
          name="endpoint"
          label="Path"
          placeholder="Path, such as /emails"
          problemOf={(text) => (text.startsWith('/') ? null : 'A path starts with /')}
          w={{ base: '100%', xs: 200 }}
        />
        <SelectFilter
          filters={filters}
          name="key"
          label="API key"
          placeholder="Any API key"
          searchable
          data={[...keys].map(([value, label]) => ({ value, label }))}
          w={{ base: '100%', xs: 200 }}
        />
        <PeriodFilter filters={filters} />
      </FilterBar>
      <ConnectionList
        label="Requests"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={(request) =>
          modals.open({
            title: 'Request',
            size: 'lg',
            children: <Detail request={request} keyName={keys.get(request.apiKeyId)} />,
          })
        }
        empty={
          <Empty icon={IconListDetails} title="No requests">
            {filters.isActive
              ? 'No requests match these filters.'
              : 'Every request with an API key appears here, including refused ones.'}
          </Empty>
        }
      />
    </Page>
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
