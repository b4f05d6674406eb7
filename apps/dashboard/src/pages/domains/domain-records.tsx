import { Button, Card, Code, Group, Stack, Table, Text, Title } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { Copyable, Status } from '../../components/format.tsx';
import { downloadText } from '../../components/download.ts';
import type { DomainPartsFragment } from '../../graphql/generated.ts';

type DnsRecord = DomainPartsFragment['records'][number];

/** The records to publish, what DNS answered, and all of them as a zone file. */
export function DomainRecords({ domain }: { domain: DomainPartsFragment }) {
  return (
    <Stack gap="xs">
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
      <Card withBorder padding={0}>
        <Table.ScrollContainer minWidth={820}>
          <Table verticalSpacing="sm" horizontalSpacing="md">
            <Table.Thead>
              <Table.Tr>
                <Table.Th>Purpose</Table.Th>
                <Table.Th>Type</Table.Th>
                <Table.Th>Name</Table.Th>
                <Table.Th>Value</Table.Th>
                <Table.Th>Status</Table.Th>
              </Table.Tr>
            </Table.Thead>
            <Table.Tbody>
              {domain.records.map((record) => (
                <RecordRow key={`${record.type} ${record.name} ${record.value}`} record={record} />
              ))}
            </Table.Tbody>
          </Table>
        </Table.ScrollContainer>
      </Card>
    </Stack>
  );
}

function RecordRow({
  record: { record, type, name, value, required, status, error, observed },
}: {
  record: DnsRecord;
}) {
  return (
    <Table.Tr>
      <Table.Td>
        <Text size="sm">{record}</Text>
        <Text size="xs" c="dimmed">
          {required ? 'required' : 'optional'}
        </Text>
      </Table.Td>
      <Table.Td>{type}</Table.Td>
      <Table.Td maw={240}>
        <Copyable value={name} label={`Copy the name of ${record}`} />
      </Table.Td>
      <Table.Td maw={380}>
        <Copyable value={value} label={`Copy the value of ${record}`} />
        {status !== 'verified' && error !== null && (
          <Text size="xs" c="red" mt={4}>
            {error}
          </Text>
        )}
        {status !== 'verified' && observed.length > 0 && (
          <Text size="xs" c="dimmed" mt={4} component="div">
            DNS answers <Code className="break">{observed.join(', ')}</Code>
          </Text>
        )}
      </Table.Td>
      <Table.Td>
        <Status value={status} />
      </Table.Td>
    </Table.Tr>
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
