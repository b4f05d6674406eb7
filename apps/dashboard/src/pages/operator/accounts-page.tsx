import { Badge, Progress, Text } from '@mantine/core';
import { IconBuilding } from '@tabler/icons-react';
import { useConnection } from '../../api/use-connection.ts';
import { useFilters, type FilterField } from '../../components/filters.tsx';
import { formatNumber, formatShareOrDash, Status, Time } from '../../components/format.tsx';
import { DialogButton, ListPage } from '../../components/list-page.tsx';
import type { Column } from '../../components/list.tsx';
import { ACCOUNT_STATUSES } from '../../generated/constants.ts';
import {
  OperatorAccountsDocument,
  type AbuseLimitsPartsFragment,
  type AccountStatus,
  type OperatorAccountPartsFragment,
} from '../../graphql/generated.ts';
import { CreateAccountForm } from './create-account-form.tsx';
import { planLabel, rateColors } from './rates.ts';

type Row = OperatorAccountPartsFragment & { limits: AbuseLimitsPartsFragment };

const FILTERS = ['search', 'status'] as const;
const FIELDS: FilterField<(typeof FILTERS)[number]>[] = [
  {
    kind: 'text',
    name: 'search',
    label: 'Search accounts',
    placeholder: 'Name, ID, domain or member’s email',
    w: { base: '100%', xs: 320 },
  },
  { kind: 'choice', name: 'status', label: 'Status', placeholder: 'Any status', data: ACCOUNT_STATUSES, w: 150 },
];

const COLUMNS: Column<Row>[] = [
  {
    title: 'Account',
    width: 'minmax(0, 2fr)',
    render: ({ name, isFirst }) => (
      <>
        {name}{' '}
        {isFirst && (
          <Badge size="xs" variant="light" tt="none">
            operator
          </Badge>
        )}
      </>
    ),
  },
  { title: 'Status', width: '100px', render: ({ status }) => <Status value={status} /> },
  { title: 'Plan', width: '130px', from: 'md', render: ({ plan }) => planLabel(plan) },
  { title: 'Used this month', width: 'minmax(0, 1fr)', from: 'sm', render: (row) => <Usage {...row} /> },
  { title: 'Settled', width: '90px', from: 'md', render: ({ stats }) => formatNumber(stats?.settled ?? 0) },
  {
    title: 'Delivery rate',
    width: '100px',
    from: 'lg',
    render: ({ stats }) => formatShareOrDash(stats?.deliveredOfSettled),
  },
  {
    title: 'Bounces',
    width: '80px',
    from: 'sm',
    render: ({ stats, outcomes, limits }) => (
      <Text span size="sm" c={rateColors(outcomes, limits).bounces}>
        {formatShareOrDash(stats?.bouncedOfSettled)}
      </Text>
    ),
  },
  {
    title: 'Complaints',
    width: '90px',
    from: 'md',
    render: ({ stats, outcomes, limits }) => (
      <Text span size="sm" c={rateColors(outcomes, limits).complaints}>
        {formatShareOrDash(stats?.complainedOfSettled)}
      </Text>
    ),
  },
  { title: 'Created', width: '110px', from: 'lg', render: ({ createdAt }) => <Time at={createdAt} /> },
];

/** An unlimited plan has no allowance, but its recipients are counted too. */
function Usage({ usage, acceptedThisMonth }: Pick<Row, 'usage' | 'acceptedThisMonth'>) {
  if (usage === null)
    return (
      <Text span size="xs" c="dimmed">
        {acceptedThisMonth === null ? '–' : `${formatNumber(acceptedThisMonth)}, unlimited`}
      </Text>
    );
  const share = (usage.used / Math.max(usage.limit, 1)) * 100;
  return (
    <>
      <Text size="xs" c="dimmed">
        {formatNumber(usage.used)} of {formatNumber(usage.limit)}
      </Text>
      <Progress size="xs" value={share} color={share >= 100 ? 'red' : undefined} aria-label="Used allowance" />
    </>
  );
}

export function OperatorAccountsPage() {
  const filters = useFilters(FILTERS);
  const { search, status } = filters.values;
  const list = useConnection(
    OperatorAccountsDocument,
    { search, status: status as AccountStatus | null },
    ({ operator }) => ({
      ...operator.accounts,
      nodes: operator.accounts.nodes.map((account) => ({ ...account, limits: operator.abuseLimits })),
    }),
  );
  const [first] = list.nodes;
  return (
    <ListPage
      title="Accounts"
      description={first ? sentenceOn(first.limits) : 'The accounts of this service.'}
      actions={
        <DialogButton
          label="Create account"
          needs="operator"
          size="lg"
          form={(close) => <CreateAccountForm created={list.reload} close={close} />}
        />
      }
      filters={filters}
      fields={FIELDS}
      label="Accounts"
      list={list}
      columns={COLUMNS}
      second={({ plan, outcomes }) => [planLabel(plan), `${formatNumber(outcomes.recipients)} sent`]}
      linkTo={({ id }) => `/operator/accounts/${id}`}
      empty={{ icon: IconBuilding, title: 'No accounts', text: 'Create an account for each customer.' }}
      hint="Search by part of the name, the full ID, a domain, or the full address of a member."
    />
  );
}

function sentenceOn({ enabled, windowHours, bouncePercent, complaintPercent }: AbuseLimitsPartsFragment): string {
  const rates = 'Rates are of the settled recipients of the last 24 hours, without the simulator.';
  if (!enabled) return `${rates} Accounts are not paused automatically at present.`;
  return `${rates} Sending is paused above ${bouncePercent}% hard bounces or ${complaintPercent}% complaints in ${windowHours} hours.`;
}
