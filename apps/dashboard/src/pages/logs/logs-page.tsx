import { Group, Select, Stack, Table, Text } from '@mantine/core';
import { modals } from '@mantine/modals';
import { IconListDetails } from '@tabler/icons-react';
import { useState } from 'react';
import { useConnection } from '../../api/use-connection.ts';
import { Empty } from '../../components/feedback.tsx';
import { Copyable, ExactTime, Time } from '../../components/format.tsx';
import { ConnectionList, type Column } from '../../components/list.tsx';
import { Page } from '../../components/page.tsx';
import { RequestLogDocument, type RequestLogQuery } from '../../graphql/generated.ts';

type LoggedRequest = RequestLogQuery['requestLog']['nodes'][number];

const PAGE_SIZE = 50;

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
  const [status, setStatus] = useState<string | null>(null);
  const [method, setMethod] = useState<string | null>(null);
  const filter = status === null && method === null ? null : { status, method };
  const connection = useConnection(
    RequestLogDocument,
    { first: PAGE_SIZE, after: null, filter },
    ({ requestLog }) => requestLog,
  );
  return (
    <Page
      title="Request log"
      description="Requests with the API keys of this account in the last 30 days, without bodies."
    >
      <Group gap="xs">
        <Select
          aria-label="Status"
          placeholder="Any status"
          clearable
          data={[
            { value: '2xx', label: 'Successful' },
            { value: '4xx', label: 'Refused (4xx)' },
            { value: '5xx', label: 'Failed (5xx)' },
          ]}
          value={status}
          onChange={setStatus}
          w={160}
        />
        <Select
          aria-label="Method"
          placeholder="Any method"
          clearable
          data={['GET', 'POST', 'PATCH', 'DELETE']}
          value={method}
          onChange={setMethod}
          w={140}
        />
      </Group>
      <ConnectionList
        label="Requests"
        connection={connection}
        columns={COLUMNS}
        keyOf={({ id }) => id}
        onOpen={(request) => modals.open({ title: 'Request', size: 'lg', children: <Detail request={request} /> })}
        empty={
          <Empty icon={IconListDetails} title="No requests">
            Every request with an API key appears here, refused ones too.
          </Empty>
        }
      />
    </Page>
  );
}

function Detail({ request }: { request: LoggedRequest }) {
  const { requestId, method, endpoint, responseStatus, error, ip, userAgent, apiKeyId, latencyMs, createdAt } = request;
  const rows: [string, React.ReactNode][] = [
    ['Request', `${method} ${endpoint}`],
    ['Answer', [responseStatus, error].filter(Boolean).join(' ')],
    ['Time', <ExactTime key="at" at={createdAt} />],
    ['Took', `${latencyMs} ms`],
    ['Request id', <Copyable key="id" value={requestId} label="Copy the request id" />],
    ['API key', apiKeyId],
    ['Address', ip ?? '–'],
    ['User agent', userAgent ?? '–'],
  ];
  return (
    <Stack>
      <Table>
        <Table.Tbody>
          {rows.map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={120}>{name}</Table.Th>
              <Table.Td className="break">{value}</Table.Td>
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Stack>
  );
}
