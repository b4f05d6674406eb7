import { Group, Select } from '@mantine/core';
import { IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useQuery } from 'urql';
import { FilterBar, PeriodFilter, SelectFilter, TextFilter, type Filters } from '../../components/filters.tsx';
import { EMAIL_STATUSES, LAST_EVENTS } from '../../generated/constants.ts';
import { DomainsDocument } from '../../graphql/generated.ts';
import { MORE_FILTERS, TEXT_FILTERS, WAITING, type FilterValues } from './filter.ts';

const SEARCHES = {
  to: { label: 'To', placeholder: 'Full address of the recipient' },
  from: { label: 'From', placeholder: 'Full address of the sender' },
  subject: { label: 'Subject', placeholder: 'Subject starts with …' },
};

type EmailFilterState = Filters<keyof FilterValues>;

/** All filters of `GET /emails`. */
export function EmailFilters({ filters }: { filters: EmailFilterState }) {
  const { values } = filters;
  const active = MORE_FILTERS.filter((name) => values[name] !== null).length;
  return (
    <FilterBar filters={filters} more={{ active, fields: <MoreFilters filters={filters} /> }}>
      <SearchField filters={filters} />
      <SelectFilter
        filters={filters}
        name="status"
        label="Status"
        placeholder="Any status"
        data={[{ value: WAITING, label: 'waiting' }, ...EMAIL_STATUSES]}
        w={160}
      />
      <PeriodFilter filters={filters} />
    </FilterBar>
  );
}

/** One text in one of the fields that the API can search. */
function SearchField({ filters }: { filters: EmailFilterState }) {
  const { values, set } = filters;
  const [chosen, setChosen] = useState<keyof typeof SEARCHES>('to');
  const active = TEXT_FILTERS.find((name) => values[name] !== null);
  // The field stays when its text is removed.
  if (active !== undefined && active !== chosen) setChosen(active);
  const field = active ?? chosen;
  const choose = (name: keyof typeof SEARCHES) => {
    setChosen(name);
    set({ [field]: null, [name]: values[field] });
  };
  return (
    <Group gap={4} wrap="nowrap" flex={1} miw={{ base: '100%', sm: 340 }}>
      <Select
        aria-label="Field to search"
        allowDeselect={false}
        data={TEXT_FILTERS.map((value) => ({ value, label: SEARCHES[value].label }))}
        value={field}
        onChange={(name) => name && choose(name)}
        w={110}
      />
      <TextFilter
        filters={filters}
        name={field}
        label="Search"
        placeholder={SEARCHES[field].placeholder}
        leftSection={<IconSearch size={15} />}
        flex={1}
      />
    </Group>
  );
}

function MoreFilters({ filters }: { filters: EmailFilterState }) {
  const [{ data }] = useQuery({ query: DomainsDocument });
  return (
    <>
      <TextFilter
        filters={filters}
        name="recipient_domain"
        label="Recipient domain"
        showLabel
        placeholder="example.com"
        problemOf={(text) => (/[\s@]/.test(text) ? 'Enter a domain without @ or spaces' : null)}
      />
      <SelectFilter
        filters={filters}
        name="domain"
        label="Sending domain"
        showLabel
        placeholder="All domains"
        searchable
        data={(data?.domains ?? []).map(({ name }) => name)}
      />
      <SelectFilter
        filters={filters}
        name="event"
        label="Last event"
        showLabel
        placeholder="Any event"
        data={LAST_EVENTS.map((value) => ({ value, label: value.replaceAll('_', ' ') }))}
      />
      <TextFilter
        filters={filters}
        name="tag"
        label="Tag"
        showLabel
        placeholder="campaign:spring"
        problemOf={(text) => (text.includes(':') ? null : 'Enter a name and a value, such as campaign:spring')}
      />
    </>
  );
}
