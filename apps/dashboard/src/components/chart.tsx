import { Group, Text, useComputedColorScheme } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { useEffect, useRef } from 'react';
import UPlot from 'uplot';

export interface Series {
  label: string;
  color: string;
  values: (number | null)[];
}

export interface ChartProps {
  /** A sentence for people who cannot see it. */
  label: string;
  /** Seconds since 1970, ascending. */
  times: number[];
  series: Series[];
  height?: number;
}

/** A time series; follows its data and the width of its place. */
export function Chart({ label, times, series, height = 240 }: ChartProps) {
  const { ref, width } = useElementSize();
  const scheme = useComputedColorScheme('light');
  const holder = useRef<HTMLDivElement>(null);
  const chart = useRef<UPlot | null>(null);
  const names = series.map((one) => one.label).join();
  useEffect(() => {
    if (!holder.current || width === 0) return undefined;
    const plot = new UPlot(
      optionsOf(series, { width, height, dark: scheme === 'dark' }),
      dataOf(times, series),
      holder.current,
    );
    chart.current = plot;
    return () => {
      chart.current = null;
      plot.destroy();
    };
    // New data goes to the existing chart below.
  }, [width, height, scheme, names]);
  useEffect(() => chart.current?.setData(dataOf(times, series)), [times, series]);
  return (
    <div ref={ref} role="img" aria-label={label}>
      <div ref={holder} style={{ minHeight: height }} />
    </div>
  );
}

/** Names and colors of the series, which the chart itself does not show. */
export function Legend({ series }: { series: readonly Pick<Series, 'label' | 'color'>[] }) {
  return (
    <Group gap="md">
      {series.map(({ label, color }) => (
        <Text key={label} size="xs" c="dimmed">
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
      ))}
    </Group>
  );
}

const dataOf = (times: number[], series: Series[]): UPlot.AlignedData => [times, ...series.map(({ values }) => values)];

function optionsOf(
  series: Series[],
  { width, height, dark }: { width: number; height: number; dark: boolean },
): UPlot.Options {
  const text = dark ? '#a6a7ab' : '#5c5f66';
  const grid = { stroke: dark ? '#2c2e33' : '#e9ecef', width: 1 };
  const axis = { stroke: text, grid, ticks: { ...grid, size: 4 }, font: '12px system-ui' };
  return {
    width,
    height,
    legend: { show: false },
    cursor: { points: { size: 6 } },
    scales: { y: { range: (_plot, _min, max) => [0, Math.max(4, max * 1.1)] } },
    axes: [axis, { ...axis, size: 48 }],
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
