import {
  Badge,
  Button,
  Collapse,
  Group,
  MultiSelect,
  Select,
  SimpleGrid,
  Text,
  TextInput,
  type ComboboxData,
  type StyleProp,
} from '@mantine/core';
import { useDebouncedCallback, useDisclosure } from '@mantine/hooks';
import { IconAdjustments, IconSearch, IconX } from '@tabler/icons-react';
import { useEffect, useMemo, useRef, useState, type ReactNode } from 'react';
import { useSearchParams } from 'react-router';
import { domainOptions, type NamedDomain } from './domains-field.tsx';

const TYPING_MS = 300;
const HOUR_MS = 3_600_000;
const FIELD_WIDTH = { base: '100%', xs: 200 };

/** The filters of a list. They are kept in the address of the page, so that a filtered list can be linked to. */
export interface Filters<N extends string> {
  values: Record<N, string | null>;
  /** Null and '' remove a filter. */
  set: (changes: Partial<Record<N, string | null>>) => void;
  clear: () => void;
  isActive: boolean;
}

export function useFilters<N extends string>(names: readonly N[]): Filters<N> {
  const [search, setSearch] = useSearchParams();
  const values = Object.fromEntries(names.map((name) => [name, search.get(name) || null])) as Record<N, string | null>;
  const set = (changes: Partial<Record<N, string | null>>) => {
    // The search of the last rendering would lack a change that was made since then.
    const next = new URLSearchParams(window.location.search);
    for (const [name, value] of Object.entries<string | null | undefined>(changes))
      if (value) next.set(name, value);
      else next.delete(name);
    setSearch(next, { replace: true });
  };
  const clear = () => set(Object.fromEntries(names.map((name) => [name, null])) as Record<N, null>);
  return { values, set, clear, isActive: names.some((name) => values[name] !== null) };
}

/** A filter as data, in the order of the row. */
export type FilterField<N extends string> =
  | ({ kind: 'text' } & Omit<TextFilterProps<N>, 'filters' | 'showLabel'>)
  | ({ kind: 'choice' } & Omit<SelectFilterProps<N>, 'filters' | 'showLabel'>)
  | ({ kind: 'choices' } & Omit<FilterProps<N>, 'filters' | 'showLabel'> & { data: string[] })
  | { kind: 'period' };

interface FilterBarProps<N extends string> {
  filters: Filters<N>;
  fields: readonly FilterField<N>[];
  /** Less common filters, which a button shows. */
  more?: readonly FilterField<N>[];
}

/** The row of filters above a list. */
export function FilterBar<N extends string>({ filters, fields, more = [] }: FilterBarProps<N>) {
  const { clear, isActive, values } = filters;
  const active = more.filter((field) => field.kind !== 'period' && values[field.name] !== null).length;
  const [opened, { toggle }] = useDisclosure(active > 0);
  return (
    <div role="search">
      <Group gap="xs" align="flex-start">
        {fields.map((field) => (
          <FieldOf key={field.kind === 'period' ? field.kind : field.name} filters={filters} field={field} />
        ))}
        {more.length > 0 && (
          <Button
            variant="default"
            leftSection={<IconAdjustments size={16} />}
            rightSection={active > 0 && <Badge size="sm" circle>{`${active}`}</Badge>}
            aria-expanded={opened}
            onClick={toggle}
          >
            Filters
          </Button>
        )}
        {isActive && (
          <Button variant="subtle" color="gray" leftSection={<IconX size={16} />} onClick={clear}>
            Clear
          </Button>
        )}
      </Group>
      {more.length > 0 && (
        <Collapse expanded={opened}>
          <SimpleGrid cols={{ base: 1, xs: 2, md: 4 }} spacing="xs" pt="xs">
            {more.map((field) => (
              <FieldOf
                key={field.kind === 'period' ? field.kind : field.name}
                filters={filters}
                field={field}
                showLabel
              />
            ))}
          </SimpleGrid>
        </Collapse>
      )}
    </div>
  );
}

interface FieldOfProps<N extends string> {
  filters: Filters<N>;
  field: FilterField<N>;
  showLabel?: boolean;
}

function FieldOf<N extends string>({ filters, field, showLabel }: FieldOfProps<N>) {
  const shared = { filters, showLabel, w: showLabel ? undefined : FIELD_WIDTH };
  switch (field.kind) {
    case 'text': {
      const { kind: _, ...props } = field;
      return <TextFilter {...shared} {...props} />;
    }
    case 'choice': {
      const { kind: _, ...props } = field;
      return <SelectFilter {...shared} {...props} />;
    }
    case 'choices': {
      const { kind: _, ...props } = field;
      return <ChoicesFilter {...shared} {...props} />;
    }
    case 'period':
      return <PeriodFilter filters={filters as unknown as PeriodFilters} />;
  }
}

interface FilterProps<N extends string> {
  filters: Pick<Filters<N>, 'values' | 'set'>;
  name: N;
  label: string;
  placeholder: string;
  w?: StyleProp<string | number>;
  /** Shows the label above the field instead of only to screen readers. */
  showLabel?: boolean;
}

interface SelectFilterProps<N extends string> extends FilterProps<N> {
  data: ComboboxData;
  searchable?: boolean;
}

const labelled = (label: string, showLabel = false) => (showLabel ? { label } : { 'aria-label': label });

const changed = <N extends string>(name: N, value: string | null) =>
  ({ [name]: value }) as Partial<Record<N, string | null>>;

/** One of several values, or none. */
export function SelectFilter<N extends string>({ filters, name, label, showLabel, ...props }: SelectFilterProps<N>) {
  return (
    <Select
      {...labelled(label, showLabel)}
      {...props}
      clearable
      clearButtonProps={{ size: '24px' }}
      value={filters.values[name]}
      onChange={(value: string | null) => filters.set(changed(name, value))}
    />
  );
}

/** Any of several values, separated by commas in the address of the page. */
function ChoicesFilter<N extends string>({
  filters,
  name,
  label,
  placeholder,
  data,
  w,
}: FilterProps<N> & { data: string[] }) {
  const value = filters.values[name];
  return (
    <MultiSelect
      aria-label={label}
      placeholder={value === null ? placeholder : undefined}
      data={data}
      value={value?.split(',') ?? []}
      onChange={(chosen) => filters.set(changed(name, chosen.join(',')))}
      clearable
      w={w}
    />
  );
}

/** The search of a list; `searched` says what it looks through. */
export const searchField = <N extends string>(name: N, searched: string): FilterField<N> => ({
  kind: 'text',
  name,
  label: 'Search',
  placeholder: searched,
  leftSection: <IconSearch size={15} />,
  flex: 1,
  miw: 240,
});

/** One of the sending domains, by its id. */
export const domainField = <N extends string>(
  name: N,
  domains: readonly NamedDomain[] | undefined,
): Extract<FilterField<N>, { kind: 'choice' }> => ({
  kind: 'choice',
  name,
  label: 'Domain',
  placeholder: 'All domains',
  searchable: true,
  data: domainOptions(domains),
});

interface DomainFilterProps {
  filters: FilterProps<'domain'>['filters'];
  domains: readonly NamedDomain[] | undefined;
}

export function DomainFilter({ filters, domains }: DomainFilterProps) {
  return <SelectFilter filters={filters} {...domainField('domain', domains)} w={FIELD_WIDTH} />;
}

interface TextFilterProps<N extends string> extends FilterProps<N> {
  leftSection?: ReactNode;
  /** The share of the free width that the field takes. */
  flex?: number;
  miw?: number;
  /** A sentence about a text that cannot be searched for; null for others. */
  problemOf?: (text: string) => string | null;
  /** What to search for when this text is typed. */
  parse?: (text: string) => string | null;
}

/** A text filter, applied when typing pauses. */
function TextFilter<N extends string>({
  filters,
  name,
  label,
  showLabel,
  problemOf,
  parse = (text) => text,
  ...props
}: TextFilterProps<N>) {
  const value = filters.values[name];
  const [text, setText] = useState(value ?? '');
  const reported = useRef(value);
  const report = useDebouncedCallback((typed: string) => {
    const trimmed = typed.trim();
    if (trimmed !== '' && problemOf?.(trimmed)) return;
    reported.current = trimmed === '' ? null : parse(trimmed);
    filters.set(changed(name, reported.current));
  }, TYPING_MS);
  useEffect(() => {
    // Changed by others, such as a button that clears the filters.
    if (value !== reported.current) setText(value ?? '');
    reported.current = value;
  }, [value]);
  return (
    <TextInput
      {...labelled(label, showLabel)}
      {...props}
      value={text}
      error={text.trim() === '' ? null : problemOf?.(text.trim())}
      onChange={({ currentTarget }) => {
        setText(currentTarget.value);
        report(currentTarget.value);
      }}
    />
  );
}

/** The filters of a period: a length such as `24h`, or its ends in the time zone of the browser. */
export const PERIOD = ['period', 'after', 'before'] as const;
type PeriodFilters = Pick<Filters<(typeof PERIOD)[number]>, 'values' | 'set'>;

/** ISO 8601; null: no end. */
export interface Period {
  from: string | null;
  to: string | null;
}

const CUSTOM = 'custom';
const PERIODS = [
  { value: '1h', label: 'Last hour' },
  { value: '24h', label: 'Last 24 hours' },
  { value: '168h', label: 'Last 7 days' },
  { value: '720h', label: 'Last 30 days' },
  { value: CUSTOM, label: 'Custom range' },
];

/** The ends of the chosen period as ISO 8601; they stay the same until another one is chosen. */
export function usePeriod({ values: { period, after, before } }: PeriodFilters): Period {
  return useMemo(() => {
    const hours = /^(\d{1,4})h$/.exec(period ?? '')?.[1];
    if (hours !== undefined) return { from: new Date(Date.now() - Number(hours) * HOUR_MS).toISOString(), to: null };
    return { from: instantOf(after), to: instantOf(before) };
  }, [period, after, before]);
}

/** `2026-03-01T10:00` in the time zone of the browser, or an instant. */
function instantOf(local: string | null): string | null {
  const date = new Date(local ?? '');
  return Number.isNaN(date.getTime()) ? null : date.toISOString();
}

/** When the entries of a list happened. */
function PeriodFilter({ filters }: { filters: PeriodFilters }) {
  const { period, after, before } = filters.values;
  const isCustom = period === CUSTOM || (period === null && (after !== null || before !== null));
  const end = (name: 'after' | 'before', label: string) => (
    <TextInput
      type="datetime-local"
      aria-label={label}
      leftSection={<Text size="xs">{label}</Text>}
      leftSectionWidth={46}
      value={filters.values[name] ?? ''}
      onChange={({ currentTarget }) => filters.set({ [name]: currentTarget.value || null })}
      w={{ base: '100%', xs: 240 }}
    />
  );
  return (
    <>
      <Select
        aria-label="When"
        clearable
        placeholder="Any time"
        data={PERIODS}
        value={isCustom ? CUSTOM : period}
        onChange={(chosen) => filters.set({ period: chosen, after: null, before: null })}
        w={175}
      />
      {isCustom && (
        <Group gap="xs">
          {end('after', 'From')}
          {end('before', 'To')}
        </Group>
      )}
    </>
  );
}
