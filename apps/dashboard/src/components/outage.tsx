import { Alert, Badge, Table, Text } from '@mantine/core';
import { IconPlugConnectedX } from '@tabler/icons-react';
import { isReadable, useOutage, type Outage, type Part } from '../api/outage.ts';
import { ExactTime } from './format.tsx';

/** Reports that the server cannot do its work. Disappears by itself. */
export function OutageNotice() {
  const outage = useOutage();
  if (outage === null) return null;
  const failing = outage.parts.filter(({ reason }) => reason !== null);
  return (
    <Alert color="red" icon={<IconPlugConnectedX />} title={titleOf(outage)} role="alert">
      {failing.map(({ part, reason, since }) => (
        <Text key={part} size="sm">
          {labelOf(part)}: {reason}
          {since !== null && (
            <>
              , since <ExactTime at={since} />
            </>
          )}
        </Text>
      ))}
      <Text size="sm" c="dimmed">
        {isReadable(outage)
          ? 'This notice disappears by itself.'
          : 'Figures are those of before. This page tries again every few seconds and continues by itself.'}
      </Text>
    </Alert>
  );
}

/** The parts of the process: whether each is ready, otherwise why not and since when. */
export function Readiness({ parts }: { parts: readonly Part[] }) {
  return (
    <Table aria-label="Readiness">
      <Table.Tbody>
        {parts.map(({ part, reason, since }) => (
          <Table.Tr key={part}>
            <Table.Td>{labelOf(part)}</Table.Td>
            <Table.Td ta="right">
              <Badge variant="light" tt="none" color={reason === null ? 'teal' : 'red'} className="badge-wraps">
                {reason ?? 'ready'}
              </Badge>
              {since !== null && (
                <Text size="xs" c="dimmed">
                  since <ExactTime at={since} />
                </Text>
              )}
            </Table.Td>
          </Table.Tr>
        ))}
      </Table.Tbody>
    </Table>
  );
}

function titleOf({ parts }: Outage): string {
  if (parts.length === 0) return 'The server cannot be reached.';
  const failing = parts.filter(({ reason }) => reason !== null).map(({ part }) => part);
  if (failing.includes('database')) return 'The database does not answer.';
  return failing.includes('storage') ? 'No emails are accepted.' : 'The service is not ready.';
}

const ABBREVIATIONS: Record<string, string> = { smtp: 'SMTP' };

const labelOf = (part: string): string => ABBREVIATIONS[part] ?? part.slice(0, 1).toUpperCase() + part.slice(1);
