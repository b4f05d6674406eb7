import { Stack, Text, Title } from '@mantine/core';
import { useFreshQuery } from '../../api/use-fresh-query.ts';
import { Failure, Loading } from '../../components/feedback.tsx';
import { formatNumber, formatShareOrDash } from '../../components/format.tsx';
import { DataTable, type Field } from '../../components/table.tsx';
import { UsageByMonthDocument, type UsageByMonthQuery } from '../../graphql/generated.ts';
import classes from './months.module.css';

type Month = UsageByMonthQuery['usage']['months'][number];

/** The last twelve months, the current one first, with a bar beside the number of accepted recipients. */
export function Months() {
  const { data, error, refresh } = useFreshQuery(UsageByMonthDocument, {});
  return (
    <Stack gap="sm">
      <div>
        <Title order={2} size="h5">
          By month
        </Title>
        <Text size="xs" c="dimmed">
          Recipients of live emails in the last twelve calendar months (UTC). Months before the first email are not
          shown. The delivery rate is of settled recipients: delivered, bounced or failed, without the simulator.
        </Text>
      </div>
      {error && !data && <Failure error={error} retry={refresh} />}
      {!data && !error && <Loading />}
      {data && <MonthTable months={data.usage.months.toReversed()} />}
    </Stack>
  );
}

function MonthTable({ months }: { months: Month[] }) {
  const first = months.findLastIndex(({ accepted }) => accepted > 0);
  const shown = months.slice(0, Math.max(first + 1, 1));
  const most = Math.max(1, ...months.map(({ accepted }) => accepted));
  const count = (name: 'delivered' | 'bounced' | 'failed' | 'complained', title: string): Field<Month> => ({
    title,
    align: 'right',
    render: (month) => formatNumber(month[name]),
  });
  const fields: Field<Month>[] = [
    { title: 'Month', render: ({ month }) => nameOf(month) },
    {
      title: 'Accepted',
      render: ({ accepted }) => (
        <span className={classes.accepted}>
          <span className={classes.number}>{formatNumber(accepted)}</span>
          <span aria-hidden className={classes.track}>
            <span className={classes.bar} style={{ width: `${(accepted / most) * 100}%` }} />
          </span>
        </span>
      ),
    },
    count('delivered', 'Delivered'),
    {
      title: 'Delivery rate',
      align: 'right',
      render: ({ deliveredOfSettled, settled }) => (
        <>
          {formatShareOrDash(deliveredOfSettled)}
          <Text size="xs" c="dimmed">
            of {formatNumber(settled)}
          </Text>
        </>
      ),
    },
    count('bounced', 'Bounced'),
    count('failed', 'Failed'),
    count('complained', 'Complaints'),
  ];
  return <DataTable label="Usage by month" fields={fields} rows={shown} keyOf={({ month }) => month} />;
}

/** `March 2026` */
const nameOf = (month: string): string =>
  new Date(`${month}-01T00:00:00Z`).toLocaleDateString('en', { month: 'long', year: 'numeric', timeZone: 'UTC' });
