import { Box, Center, Group, Paper, Stack, Text, ThemeIcon } from '@mantine/core';
import { useElementSize } from '@mantine/hooks';
import { IconChartBar } from '@tabler/icons-react';
import { useId, useMemo, useState, type PointerEvent } from 'react';
import { axisLabels, barsOf, levelsUpTo, shownSeries, unfinished, type Range, type Series } from './chart-data.ts';
import { formatPeriod, stepOf } from './chart-time.ts';
import { formatNumber } from './format.tsx';

export interface ChartProps {
  /** For screen readers. */
  label: string;
  /** Beginnings of periods, in seconds since 1970, ascending. */
  times: number[];
  series: Series[];
  /** The counted range. Bars of periods that reach beyond it are hatched. */
  range: Range;
  /** One period in words: `hour`. */
  unit: string;
  height?: number;
  /** Shown if nothing was counted. */
  empty: { title: string; text?: string };
}

/** Space for the labels of the axes. */
const [LEFT_PX, BOTTOM_PX, TOP_PX] = [48, 36, 8];
const TOOLTIP_PX = 190;
/** Half of the average width of a letter, so that the last label stays inside. */
const HALF_LETTER_PX = 3.4;

/** Counts per period as bars, which fill the container, with the values at the pointer. */
export function Chart({ label, times, series, range, unit, height = 240, empty }: ChartProps) {
  const shown = useMemo(() => shownSeries(series), [series]);
  const { ref, width } = useElementSize();
  const [hovered, setHovered] = useState<number | null>(null);
  const inner = width - LEFT_PX;
  const indexAt = (event: PointerEvent<SVGSVGElement>): number | null => {
    const left = event.clientX - event.currentTarget.getBoundingClientRect().left - LEFT_PX;
    return left < 0 || inner <= 0 ? null : Math.min(times.length - 1, Math.floor((left / inner) * times.length));
  };
  return (
    <Box ref={ref} {...(shown.length > 0 && { role: 'img', 'aria-label': label })} pos="relative" mih={height}>
      {shown.length === 0 && <Nothing height={height} {...empty} />}
      {width > 0 && shown.length > 0 && (
        <svg
          width={width}
          height={height}
          style={{ display: 'block' }}
          onPointerMove={(event) => setHovered(indexAt(event))}
          onPointerLeave={() => setHovered(null)}
        >
          <Bars times={times} series={shown} range={range} size={{ width, height }} hovered={hovered} />
        </svg>
      )}
      {hovered !== null && hovered < times.length && shown.length > 0 && (
        <Tooltip index={hovered} {...{ times, series: shown, range, width, unit }} />
      )}
    </Box>
  );
}

function Nothing({ title, text, height }: ChartProps['empty'] & { height: number }) {
  return (
    <Center h={height} ta="center">
      <Stack gap={4} align="center">
        <ThemeIcon size={44} radius="xl" variant="light">
          <IconChartBar size={22} />
        </ThemeIcon>
        <Text fw={600}>{title}</Text>
        {text && (
          <Text size="sm" c="dimmed">
            {text}
          </Text>
        )}
      </Stack>
    </Center>
  );
}

interface BarsProps extends Pick<ChartProps, 'times' | 'series' | 'range'> {
  size: { width: number; height: number };
  hovered: number | null;
}

function Bars({ times, series, range, size, hovered }: BarsProps) {
  const pattern = useId();
  const step = stepOf(times);
  const [inner, tall] = [size.width - LEFT_PX, size.height - TOP_PX - BOTTOM_PX];
  const levels = levelsUpTo(Math.max(...series.flatMap(({ values }) => values)));
  const top = levels[levels.length - 1];
  const parts = unfinished(times, step, range);
  const slot = inner / times.length;
  const bottom = TOP_PX + tall;
  return (
    <>
      <defs>
        {series.map(({ label, color }, index) => (
          <Hatching key={label} id={`${pattern}${index}`} color={color} />
        ))}
      </defs>
      {hovered !== null && (
        <rect x={LEFT_PX + hovered * slot} y={TOP_PX} width={slot} height={tall} className="chart-hovered" />
      )}
      <Levels levels={levels} width={size.width} yOf={(level) => bottom - (level / top) * tall} />
      {axisLabels(times, step, inner).map(({ index, label }) => (
        <text key={index} className="chart-label" textAnchor="middle" y={bottom + 16}>
          {label.split('\n').map((line, i) => (
            <tspan
              key={line}
              x={Math.min(LEFT_PX + (index + 0.5) * slot, size.width - line.length * HALF_LETTER_PX)}
              dy={i * 14}
            >
              {line}
            </tspan>
          ))}
        </text>
      ))}
      {series.map((one, index) =>
        barsOf(one, { index, of: series.length, top }).map(
          ({ left, width, height }, i) =>
            height > 0 && (
              <rect
                key={`${one.label} ${times[i]}`}
                x={LEFT_PX + left * inner}
                // A count of one stays visible beside one of a million.
                y={bottom - Math.max(1, height * tall)}
                width={Math.max(1, width * inner)}
                height={Math.max(1, height * tall)}
                fill={parts[i] ? `url(#${pattern}${index})` : one.color}
                data-bar={parts[i] ? 'unfinished' : 'whole'}
              />
            ),
        ),
      )}
    </>
  );
}

function Hatching({ id, color }: { id: string; color: string }) {
  return (
    <pattern id={id} width="6" height="6" patternUnits="userSpaceOnUse" patternTransform="rotate(45)">
      <rect width="6" height="6" fill={color} fillOpacity={0.2} />
      <rect width="3" height="6" fill={color} />
    </pattern>
  );
}

function Levels({ levels, width, yOf }: { levels: number[]; width: number; yOf: (level: number) => number }) {
  return levels.map((level) => (
    <g key={level}>
      <line x1={LEFT_PX} x2={width} y1={yOf(level)} y2={yOf(level)} className="chart-level" />
      <text x={LEFT_PX - 8} y={yOf(level)} dy="0.32em" textAnchor="end" className="chart-label">
        {formatNumber(level)}
      </text>
    </g>
  ));
}

interface TooltipProps extends Pick<ChartProps, 'times' | 'series' | 'range' | 'unit'> {
  index: number;
  width: number;
}

function Tooltip({ index, times, series, range, unit, width }: TooltipProps) {
  const step = stepOf(times);
  const middle = LEFT_PX + (index + 0.5) * ((width - LEFT_PX) / times.length);
  // Beside the pointer, on the side with more room.
  const left = middle > width / 2 ? middle - TOOLTIP_PX - 12 : middle + 12;
  return (
    <Paper withBorder shadow="sm" p="xs" pos="absolute" top={8} left={left} w={TOOLTIP_PX} className="chart-tooltip">
      <Text size="xs" fw={600} mb={4}>
        {formatPeriod(times[index], step)}
      </Text>
      {unfinished(times, step, range)[index] && (
        <Text size="xs" c="dimmed" mb={4}>
          A part of the {unit} only
        </Text>
      )}
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

/** Names and colors of the series that the chart shows. */
export function Legend({ series }: { series: readonly Series[] }) {
  return (
    <Group gap="md">
      {shownSeries(series).map(({ label, color }) => (
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
