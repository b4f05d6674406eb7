import { Button, Code, Group, Stack, Text, Title } from '@mantine/core';
import { useMediaQuery } from '@mantine/hooks';
import { IconDownload } from '@tabler/icons-react';
import { useState } from 'react';
import { Copyable, Status } from '../../components/format.tsx';
import { downloadText } from '../../components/download.ts';
import { DataTable, type Field } from '../../components/table.tsx';
import type { DomainPartsFragment } from '../../graphql/generated.ts';

type DnsRecord = DomainPartsFragment['records'][number];

/** The records to publish, those found in DNS, and all of them as a zone file. On a phone, optional records are folded. */
export function DomainRecords({ domain }: { domain: DomainPartsFragment }) {
  const narrow = useMediaQuery('(max-width: 48em)', false, { getInitialValueInEffect: false });
  const [unfolded, setUnfolded] = useState(false);
  const shown = narrow && !unfolded ? domain.records.filter(isNeeded) : domain.records;
  const folded = domain.records.length - shown.length;
  return (
    <Stack gap="xs" id="records">
      <Group justify="space-between" align="flex-end">
        <Title order={2} size="h4">
          DNS records
        </Title>
        <Button
          size="xs"
          variant="default"
          leftSection={<IconDownload size={14} />}
          onClick={() => downloadText(`${domain.name}.zone`, zoneFile(domain))}
        >
          Zone file
        </Button>
      </Group>
      <DataTable
        label="DNS records"
        fields={FIELDS}
        rows={shown}
        keyOf={({ type, name, value }) => `${type} ${name} ${value}`}
      />
      {folded > 0 && (
        <Button size="xs" variant="default" style={{ alignSelf: 'flex-start' }} onClick={() => setUnfolded(true)}>
          Show {folded} optional {folded === 1 ? 'record' : 'records'}
        </Button>
      )}
    </Stack>
  );
}

/** Required, or published in a way that does not work. */
const isNeeded = ({ required, status }: DnsRecord): boolean => required || status === 'failed';

const FIELDS: Field<DnsRecord>[] = [
  {
    title: 'Purpose',
    kind: 'heading',
    render: ({ record, required }) => (
      <>
        <Text size="sm" fw={500}>
          {record}
        </Text>
        <Text size="xs" c="dimmed">
          {required ? 'required' : 'optional'}
        </Text>
      </>
    ),
  },
  { title: 'Type', render: ({ type }) => type },
  {
    title: 'Name',
    maxWidth: 240,
    render: ({ name, record }) => <Copyable value={name} label={`Copy the name of ${record}`} />,
  },
  { title: 'Value', maxWidth: 380, render: (record) => <RecordValue record={record} /> },
  {
    title: 'Status',
    render: ({ status }) =>
      status === 'vouched' ? <Status value={status} label="not checked" /> : <Status value={status} />,
  },
];

function RecordValue({ record: { record, value, status, required, error, observed } }: { record: DnsRecord }) {
  return (
    <>
      <Copyable value={value} label={`Copy the value of ${record}`} />
      {status !== 'verified' && error !== null && (
        <Text size="xs" c={required && status !== 'vouched' ? 'red' : 'dimmed'} mt={4}>
          {error}
        </Text>
      )}
      {status !== 'verified' && observed.length > 0 && (
        <Text size="xs" c="dimmed" mt={4} component="div">
          Found in DNS: <Code className="break">{observed.join(', ')}</Code>
        </Text>
      )}
    </>
  );
}

/** RFC 1035 section 5, with character strings of at most 255 octets. */
function zoneFile({ name: domain, records }: DomainPartsFragment): string {
  const lines = records.map(({ name, type, value, ttl }) => {
    const seconds = /^\d+$/.test(ttl) ? ttl : '3600';
    return `${absolute(name)} ${seconds} IN ${type} ${type === 'TXT' ? quoted(value) : type === 'MX' ? value : absolute(value)}`;
  });
  return [`; DNS records of ${domain} for Postloft`, ...lines, ''].join('\n');
}

const absolute = (name: string): string => (name.endsWith('.') ? name : `${name}.`);

function quoted(value: string): string {
  const chunks = value.match(/.{1,255}/gs) ?? [''];
  return chunks.map((chunk) => `"${chunk.replaceAll('\\', '\\\\').replaceAll('"', '\\"')}"`).join(' ');
}
