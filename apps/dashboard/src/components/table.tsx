import { Card, Table, VisuallyHidden } from '@mantine/core';
import type { ReactNode } from 'react';
import classes from './table.module.css';

export interface Field<T> {
  /** The header of the column; beside the value on narrow screens. */
  title: string;
  render: (row: T) => ReactNode;
  /** A heading names the row; on narrow screens it stands above the other fields, with the actions beside it. */
  kind?: 'heading' | 'actions';
  align?: 'right';
  maxWidth?: number;
}

interface DataTableProps<T> {
  label: string;
  fields: Field<T>[];
  rows: readonly T[];
  keyOf: (row: T, index: number) => string;
  /** True inside a card, which already has a border. */
  isInCard?: boolean;
}

/** A table of few rows. On narrow screens each row becomes a block, so that nothing has to be scrolled sideways. */
export function DataTable<T>({ label, fields, rows, keyOf, isInCard = false }: DataTableProps<T>) {
  return (
    <Card withBorder={!isInCard} padding={0} bg={isInCard ? 'transparent' : undefined}>
      <Table verticalSpacing="sm" horizontalSpacing="md" aria-label={label} className={classes.table}>
        <Table.Thead className={classes.head}>
          <Table.Tr>
            {fields.map(({ title, kind, align }) => (
              <Table.Th key={title} ta={align}>
                {kind === 'actions' ? <VisuallyHidden>{title}</VisuallyHidden> : title}
              </Table.Th>
            ))}
          </Table.Tr>
        </Table.Thead>
        <Table.Tbody>
          {rows.map((row, index) => (
            <Table.Tr key={keyOf(row, index)} className={classes.row}>
              {fields.map(({ title, kind, align, maxWidth, render }) => (
                <Table.Td
                  key={title}
                  className={classes.cell}
                  data-title={kind === undefined ? title : undefined}
                  data-kind={kind}
                  style={{ '--cell-align': align, '--cell-max': maxWidth && `${maxWidth}px` }}
                >
                  <div className={classes.value}>{render(row)}</div>
                </Table.Td>
              ))}
            </Table.Tr>
          ))}
        </Table.Tbody>
      </Table>
    </Card>
  );
}
