import { ActionIcon, Badge, Code, CopyButton, Group, Tooltip } from '@mantine/core';
import { IconCheck, IconCopy } from '@tabler/icons-react';

const DATE_TIME = new Intl.DateTimeFormat(undefined, { dateStyle: 'medium', timeStyle: 'medium' });
const NUMBER = new Intl.NumberFormat();
const RELATIVE = new Intl.RelativeTimeFormat(undefined, { numeric: 'auto' });
const UNITS: [Intl.RelativeTimeFormatUnit, number][] = [
  ['day', 86_400],
  ['hour', 3_600],
  ['minute', 60],
  ['second', 1],
];

export const formatNumber = (value: number): string => NUMBER.format(value);

/** A share from 0 to 1 as a percentage; a dash without one. */
export const formatShareOrDash = (share: number | null | undefined): string =>
  typeof share === 'number' ? formatShare(share) : '–';

/** A share of `total`, as a percentage; a dash without a total. */
export const formatRate = (part: number, total: number): string => (total === 0 ? '–' : formatShare(part / total));

/** A share from 0 to 1 as a percentage, with two digits close to its ends, where small differences matter. */
export function formatShare(share: number): string {
  const maximumFractionDigits = share < 0.01 || share > 0.99 ? 2 : 1;
  return `${new Intl.NumberFormat(undefined, { maximumFractionDigits }).format(share * 100)}%`;
}

export function formatBytes(bytes: number): string {
  if (bytes < 1024) return `${bytes} B`;
  const units = ['kB', 'MB', 'GB', 'TB'];
  const power = Math.min(Math.floor(Math.log(bytes) / Math.log(1024)), units.length);
  return `${(bytes / 1024 ** power).toFixed(1)} ${units[power - 1]}`;
}

function relativeTime(iso: string, now = Date.now()): string {
  const seconds = (new Date(iso).getTime() - now) / 1000;
  const [unit, size] = UNITS.find(([, length]) => Math.abs(seconds) >= length) ?? ['second', 1];
  return RELATIVE.format(Math.round(seconds / size), unit);
}

/** A time: relative, and exact on hover. */
export function Time({ at }: { at: string | null | undefined }) {
  if (!at) return <span>–</span>;
  const exact = DATE_TIME.format(new Date(at));
  return (
    <Tooltip label={exact}>
      <time dateTime={at} style={{ whiteSpace: 'nowrap' }}>
        {relativeTime(at)}
      </time>
    </Tooltip>
  );
}

export function ExactTime({ at }: { at: string | null | undefined }) {
  return at ? <time dateTime={at}>{DATE_TIME.format(new Date(at))}</time> : <span>–</span>;
}

const COLORS: Record<string, string> = {
  delivered: 'teal',
  verified: 'teal',
  active: 'teal',
  paused: 'orange',
  blocked: 'red',
  overdue: 'yellow',
  success: 'teal',
  enabled: 'teal',
  opened: 'grape',
  clicked: 'grape',
  bounced: 'red',
  failed: 'red',
  complained: 'red',
  disabled: 'red',
  failing: 'orange',
  deferred: 'yellow',
  suppressed: 'orange',
  pending: 'yellow',
  verifying: 'yellow',
  queued: 'blue',
  scheduled: 'blue',
  sending: 'blue',
  sent: 'blue',
  processing: 'blue',
};

/** A status in its color, named as in the API unless it has a label. */
export function Status({ value, label }: { value: string; label?: string }) {
  const word = value.split('.').at(-1) ?? value;
  return (
    <Badge variant="light" radius="sm" color={COLORS[word] ?? 'gray'} tt="none" miw="max-content">
      {label ?? value.replaceAll('_', ' ')}
    </Badge>
  );
}

export function Copy({ value, label = 'Copy' }: { value: string; label?: string }) {
  return (
    <CopyButton value={value} timeout={1500}>
      {({ copied, copy }) => (
        <Tooltip label={copied ? 'Copied' : label}>
          <ActionIcon variant="subtle" color={copied ? 'teal' : 'gray'} size={24} onClick={copy} aria-label={label}>
            {copied ? <IconCheck size={14} /> : <IconCopy size={14} />}
          </ActionIcon>
        </Tooltip>
      )}
    </CopyButton>
  );
}

/** A value to copy, such as an id or a DNS record. */
export function Copyable({ value, label }: { value: string; label?: string }) {
  return (
    <Group gap={4} wrap="nowrap" align="center">
      <Code className="break">{value}</Code>
      <Copy value={value} label={label ?? 'Copy'} />
    </Group>
  );
}
