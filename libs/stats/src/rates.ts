import { isUnique, type SummableColumn } from './schema/columns.js';

/** Columns to add, and with a minus those to subtract. */
export type Sum = readonly (SummableColumn | `-${SummableColumn}`)[];

interface Rate {
  part: Sum;
  whole: Sum;
}

/**
 * Recipients whose delivery has ended: `delivered`, `bounced` or `failed`. Suppressed and canceled recipients, and those that
 * still wait, were never an answer of a mailbox provider. Test mail is not stored, and the simulator is no provider.
 */
const SETTLED: Sum = [
  'delivered',
  'bounced',
  'failed',
  '-simulated_delivered',
  '-simulated_bounced',
  '-simulated_failed',
];

/** Counts that are sums of columns. */
export const SUMS = {
  settled: SETTLED,
  simulated: ['simulated_delivered', 'simulated_bounced', 'simulated_failed'],
} as const satisfies Record<string, Sum>;
export type SumMetric = keyof typeof SUMS;

/** The rates of docs/statistics.md, which every page of the dashboard shows. */
const RATES_OF_SETTLED = {
  delivered_of_settled: { part: ['delivered', '-simulated_delivered'], whole: SETTLED },
  bounced_of_settled: { part: ['bounced', '-simulated_bounced'], whole: SETTLED },
  complained_of_settled: { part: ['complained', '-simulated_complained'], whole: SETTLED },
  opened_of_settled: { part: ['unique_opened', '-simulated_unique_opened'], whole: SETTLED },
  clicked_of_settled: { part: ['unique_clicked', '-simulated_unique_clicked'], whole: SETTLED },
} as const satisfies Record<string, Rate>;

/** Rates of the Resend API, with recipients of the simulator. */
const RATES_OF_SENT = {
  delivery_rate: { part: ['delivered'], whole: ['sent'] },
  bounce_rate: { part: ['bounced'], whole: ['sent'] },
  complaint_rate: { part: ['complained'], whole: ['delivered'] },
  unsubscribe_rate: { part: ['unsubscribed'], whole: ['delivered'] },
  open_rate: { part: ['unique_opened'], whole: ['delivered'] },
  click_rate: { part: ['unique_clicked'], whole: ['delivered'] },
} as const satisfies Record<string, Rate>;

/** Ratios from 0 to 1. */
export const RATES = { ...RATES_OF_SENT, ...RATES_OF_SETTLED };
export type RateMetric = keyof typeof RATES;

const RATE_DIGITS = 6;

/** The columns that are read for a sum. */
export const columnsOfSum = (sum: Sum): SummableColumn[] =>
  sum.map((term) => (term.startsWith('-') ? term.slice(1) : term) as SummableColumn);

export const columnsOfRate = (name: RateMetric): SummableColumn[] => {
  const { part, whole }: Rate = RATES[name];
  return [...columnsOfSum(part), ...columnsOfSum(whole)];
};

export const isApproximateRate = (name: RateMetric): boolean => columnsOfRate(name).some(isUnique);

type Row = Readonly<Record<string, unknown>>;

/** Reads a sum from the columns of a row; absent ones are 0. */
export function sumReader(sum: Sum): (row: Row) => number {
  const terms = sum.map((term) => {
    const [column] = columnsOfSum([term]);
    return (row: Row) => (column === term ? 1 : -1) * Number(row[column] ?? 0);
  });
  return (row) =>
    Math.max(
      0,
      terms.reduce((total, read) => total + read(row), 0),
    );
}

/** Reads a rate; null if its denominator is 0. A bounce or a complaint may come in a later period than the delivery. */
export function rateReader(name: RateMetric): (row: Row) => number | null {
  const { part, whole }: Rate = RATES[name];
  const [read, readBase] = [sumReader(part), sumReader(whole)];
  const most = name in RATES_OF_SETTLED ? 1 : Infinity;
  return (row) => {
    const base = readBase(row);
    return base === 0 ? null : Math.min(most, Number((read(row) / base).toFixed(RATE_DIGITS)));
  };
}
