import { Card, Text } from '@mantine/core';
import type { ReactNode } from 'react';

interface FigureProps {
  name: string;
  value: ReactNode;
  note?: ReactNode;
  /** The least height of the note in pixels, for a note that arrives later. */
  noteHeight?: number;
  color?: string | undefined;
}

/** A number of a page, with its meaning. */
export function Figure({ name, value, note, noteHeight, color }: FigureProps) {
  return (
    <Card withBorder padding="md">
      <Text size="xs" c="dimmed">
        {name}
      </Text>
      <Text size="xl" fw={650} c={color} component="div" className="break" data-number={name}>
        {value}
      </Text>
      {note !== undefined && (
        <Text size="xs" c="dimmed" component="div" {...(noteHeight !== undefined && { mih: noteHeight })}>
          {note}
        </Text>
      )}
    </Card>
  );
}
