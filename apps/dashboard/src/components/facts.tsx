import { Table } from '@mantine/core';
import type { ReactNode } from 'react';

export type Fact = [name: string, value: ReactNode];

/** Names and values in two columns. Facts without a value are left out. */
export function Facts({ facts }: { facts: readonly Fact[] }) {
  return (
    <Table verticalSpacing={6}>
      <Table.Tbody>
        {facts
          .filter(([, value]) => Boolean(value))
          .map(([name, value]) => (
            <Table.Tr key={name}>
              <Table.Th w={120} c="dimmed" fw={500} style={{ verticalAlign: 'top' }}>
                {name}
              </Table.Th>
              <Table.Td className="break">{value}</Table.Td>
            </Table.Tr>
          ))}
      </Table.Tbody>
    </Table>
  );
}
