import { Badge, Group, Text } from '@mantine/core';
import { IconAlertTriangle, IconCheck } from '@tabler/icons-react';
import { Figure } from './figure.tsx';
import { formatShareOrDash } from './format.tsx';
import { aboutRates, judgeRate, ofSettled, type RateLimits, type Rates } from './rates.ts';

interface RateFigureProps {
  name: string;
  rate: number | null | undefined;
  settled: number | null | undefined;
  /** Absent for a rate that is not judged. */
  limits?: RateLimits;
}

/** Two lines, and one more for a verdict: the card keeps its height when the rate arrives. */
const NOTE_HEIGHT = 36;
const VERDICT_HEIGHT = 20;

/** A rate with its denominator, and a verdict if there are enough recipients. */
export function RateFigure({ name, rate, settled, limits }: RateFigureProps) {
  const verdict = limits && judgeRate(rate ?? null, settled ?? 0, limits);
  return (
    <Figure
      name={name}
      value={formatShareOrDash(rate)}
      noteHeight={NOTE_HEIGHT + (limits ? VERDICT_HEIGHT : 0)}
      note={
        <>
          {verdict && <Verdict {...verdict} />}
          {ofSettled(settled)}
        </>
      }
    />
  );
}

const COLORS = { good: 'teal', warning: 'yellow', bad: 'red' };

/** The verdict as text and color. */
export function Verdict({ level, words }: NonNullable<ReturnType<typeof judgeRate>>) {
  const Symbol = level === 'good' ? IconCheck : IconAlertTriangle;
  return (
    <Group gap={4} mb={2}>
      <Badge
        size="sm"
        variant="light"
        color={COLORS[level]}
        tt="none"
        leftSection={<Symbol size={11} />}
        className="badge-wraps"
      >
        {words}
      </Badge>
    </Group>
  );
}

/** Explains the denominator of the rates above, in up to two lines. */
export function AboutRates({ rates }: { rates: Rates }) {
  return (
    <Text size="xs" c="dimmed" mih={NOTE_HEIGHT}>
      {aboutRates(rates)}
    </Text>
  );
}
