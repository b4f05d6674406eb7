import { Box, Group, Paper, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef, useState } from 'react';
import UPlot from 'uplot';
import { formatPeriod, stepOf, tickLabels, ticksFor } from './chart-time.ts';
import { formatNumber } from './format.tsx';

export interface Series {
  label: string;
  color: string;
  values: (number | null)[];
}

export interface ChartProps {
  /** For screen readers. */
  label: string;
  /** Beginnings of periods of the same length, in seconds since 1970, ascending. */
  times: number[];
  series: Series[];
  height?: number;
}

/** The point under the pointer. */
interface Hover {
  index: number;
  /** Pixels from the left edge of the chart. */
  left: number;
}

const AXIS_PX = 48;
const TOOLTIP_PX = 190;

/** A time series that fills its container and shows the values at the pointer. */
export function Chart({ label, times, series, height = 240 }: ChartProps) {
  const { ref, width } = useElementSize();
  const scheme = useComputedColorScheme('light');
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);
  const [hover, setHover] = useState<Hover | null>(null);
  const names = series.map((one) => one.label).join();
  const step = stepOf(times);
  useEffect(() => {
    if (!holder.current || width === 0) return undefined;
    const options = optionsOf(series, { width, height, step, dark: scheme === 'dark', onHover: setHover });
    const plot = new UPlot(options, dataOf(times, series), holder.current);
    chart.current = plot;
    return () => {
      chart.current = null;
      plot.destroy();
    };
    // New data goes to the existing chart below.
  }, [width, height, step, scheme, names]);
  useEffect(() => chart.current?.setData(dataOf(times, series)), [times, series]);
  return (
    <Box ref={ref} role="img" aria-label={label} pos="relative">
      <div ref={holder} style={{ minHeight: height }} />
      {hover && <Tooltip hover={hover} times={times} series={series} step={step} width={width} />}
    </Box>
  );
}

interface TooltipProps extends Pick<ChartProps, 'times' | 'series'> {
  hover: Hover;
  step: number;
  width: number;
}

function Tooltip({ hover: { index, left }, times, series, step, width }: TooltipProps) {
  const time = times[index];
  if (time === undefined) return null;
  // Beside the pointer, on the side with more room.
  const offset = left > width / 2 ? left - TOOLTIP_PX - 12 : left + 12;
  return (
    <Paper withBorder shadow="sm" p="xs" pos="absolute" top={8} left={offset} w={TOOLTIP_PX} className="chart-tooltip">
      <Text size="xs" fw={600} mb={4}>
        {formatPeriod(time, step)}
      </Text>
      {series.map(({ label, color, values }) => (
        <Group key={label} justify="space-between" wrap="nowrap" gap="xs">
          <Name label={label} color={color} />
          <Text size="xs" fw={600}>
            {formatNumber(values[index] ?? 0)}
          </Text>
        </Group>
      ))}
    </Paper>
  );
}

/** Names and colors of the series, which the chart itself does not show. */
export function Legend({ series }: { series: readonly Pick<Series, 'label' | 'color'>[] }) {
  return (
    <Group gap="md">
      {series.map(({ label, color }) => (
        <Name key={label} label={label} color={color} />
      ))}
    </Group>
  );
}

function Name({ label, color }: Pick<Series, 'label' | 'color'>) {
  return (
    <Text size="xs" c="dimmed">
      <span
        aria-hidden
        style={{
          display: 'inline-block',
          width: 8,
          height: 8,
          borderRadius: 4,
          background: color,
          marginInlineEnd: 6,
        }}
      />
      {label}
    </Text>
  );
}

const dataOf = (times: number[], series: Series[]): UPlot.AlignedData => [times, ...series.map(({ values }) => values)];

interface Appearance {
  width: number;
  height: number;
  step: number;
  dark: boolean;
  onHover: (hover: Hover | null) => void;
}

function optionsOf(series: Series[], { width, height, step, dark, onHover }: Appearance): UPlot.Options {
  const text = dark ? '#a6a7ab' : '#5c5f66';
  const grid = { stroke: dark ? '#2c2e33' : '#e9ecef', width: 1 };
  const axis = { stroke: text, grid, ticks: { ...grid, size: 4 }, font: '12px system-ui' };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { points: { size: 6 }, drag: { x: false, y: false }, y: false },
    hooks: {
      setCursor: [
        ({ cursor: { idx, left }, over }) =>
          onHover(
            typeof idx === 'number' && left !== undefined && left >= 0
              ? { index: idx, left: left + over.offsetLeft }
              : null,
          ),
      ],
    },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.1)] } },
    axes: [
      {
        ...axis,
        incrs: ticksFor(step),
        space: 64,
        values: (_plot, ticks) => tickLabels(ticks, step),
      },
      { ...axis, size: AXIS_PX },
    ],
    series: [
      {},
      ...series.map(({ label, color }) => ({
        label,
        stroke: color,
        fill: `${color}22`,
        width: 2,
        points: { show: false },
      })),
    ],
  };
}
