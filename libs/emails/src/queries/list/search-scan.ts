import type { Queryable } from '#libs/persistence';
import type { IdRange } from './id-range.js';
import { NO_LIMIT, StatementParameters, type ScanBuilder } from './id-scan.js';
import { SEARCH_TEXT, SEGMENT_EMAILS } from './search-segments.js';
import { lookedUpTrigrams } from './trigrams.js';

/** Parts that one page examines: a common search ends early, a rare one reads no more than these. */
const PARTS = 20;
/** Of them, those without a segment. */
const PARTS_WITHOUT_SEGMENT = 10;

/** Consecutive emails: `low` is the first id, `high` is above the last one. */
interface Part {
  low: string;
  high: string;
}

/** The parts of a page in its order, and the id up to which they reach; null if they reach to the end. */
interface SearchedParts {
  scan: ScanBuilder;
  reached: string | null;
}

interface Search {
  accountId: string;
  text: string;
  range: IdRange;
}

/** Above an id, and below the next one. */
const after = (id: string): string => `${id} `;
/** Greater than all ids. */
const ABOVE_ALL = 'em_g';

/**
 * The emails that a search has to examine: those after the last segment, and the segments with all trigrams of the text. A
 * page examines at most twenty thousand, so that its cost is bounded; it may then be short, and the next page goes on.
 */
export async function searchedParts(tx: Queryable, search: Search): Promise<SearchedParts> {
  const { accountId, text, range } = search;
  const { rows } = await tx.query<{ text: string; edge: string }>(
    `SELECT lower($2::text) AS text,
            coalesce((SELECT last_id FROM search_segments WHERE account_id = $1
                       ORDER BY account_id DESC, last_id DESC LIMIT 1), '') AS edge`,
    [accountId, text],
  );
  const [{ text: lower, edge }] = rows;
  const [first, second] =
    range.order === 'DESC'
      ? [() => unsegmented(tx, search, edge), () => segments(tx, search, lower)]
      : [() => segments(tx, search, lower), () => unsegmented(tx, search, edge)];
  const parts = await first();
  if (parts.reached === null) {
    const more = await second();
    parts.parts.push(...more.parts);
    parts.reached = more.reached;
  }
  return { scan: partsScan(parts.parts, lower), reached: parts.reached };
}

interface Reach {
  parts: Part[];
  reached: string | null;
}

/** In steps as long as a segment, which end at every thousandth email. */
async function unsegmented(tx: Queryable, { accountId, range }: Search, edge: string): Promise<Reach> {
  const above = edge > range.above ? edge : range.above;
  const { rows } = await tx.query<{ id: string }>(
    `SELECT id FROM (
       SELECT id, row_number() OVER (ORDER BY account_id ${range.order}, id ${range.order}) AS place FROM (
         SELECT account_id, id FROM emails WHERE account_id = $1 AND id > $2 AND id < $3
          ORDER BY account_id ${range.order}, id ${range.order} LIMIT $4) AS ids) AS numbered
      WHERE place % ${SEGMENT_EMAILS} = 0 ORDER BY place`,
    [accountId, above, range.below, SEGMENT_EMAILS * PARTS_WITHOUT_SEGMENT],
  );
  const ends = rows.map(({ id }) => id);
  const isWhole = ends.length < PARTS_WITHOUT_SEGMENT;
  const reached = isWhole ? null : ends[ends.length - 1];
  if (range.order === 'DESC') {
    const lows = isWhole ? [...ends, after(above)] : ends;
    return { parts: lows.map((low, i) => ({ low, high: ends[i - 1] ?? ABOVE_ALL })), reached };
  }
  const highs = isWhole ? [...ends.map(after), ABOVE_ALL] : ends.map(after);
  return { parts: highs.map((high, i) => ({ low: highs[i - 1] ?? after(above), high })), reached };
}

async function segments(tx: Queryable, { accountId, range }: Search, text: string): Promise<Reach> {
  const parameters = new StatementParameters();
  const [account, above, below] = [accountId, range.above, range.below].map((value) => parameters.add(value));
  const bits = lookedUpTrigrams(text).map((bit) => ` AND get_bit(trigrams, ${parameters.add(bit)}::int) = 1`);
  const { rows } = await tx.query<{ first: string; last: string }>(
    `SELECT first_id AS first, last_id AS last FROM search_segments
      WHERE account_id = ${account} AND last_id > ${above} AND first_id < ${below}${bits.join('')}
      ORDER BY account_id ${range.order}, last_id ${range.order} LIMIT ${PARTS - PARTS_WITHOUT_SEGMENT + 1}`,
    parameters.values,
  );
  const parts = rows.slice(0, PARTS - PARTS_WITHOUT_SEGMENT);
  const end = rows.length > parts.length ? parts[parts.length - 1] : null;
  return {
    parts: parts.map(({ first, last }) => ({ low: first, high: after(last) })),
    reached: end && (range.order === 'DESC' ? end.first : end.last),
  };
}

/** The matches of one part after the other, so that a page which is full reads no further part. */
const partsScan =
  (parts: readonly Part[], text: string): ScanBuilder =>
  ({ account, parameters, range }) => {
    const inOrder = range.order === 'DESC' ? [...parts].reverse() : parts;
    const [lows, highs] = [inOrder.map(({ low }) => low), inOrder.map(({ high }) => high)].map(
      (ids) => `${parameters.add(ids)}::text[]`,
    );
    const [above, below] = [parameters.add(range.above), parameters.add(range.below)];
    const sql = `SELECT part.place, matches.id
      FROM (SELECT * FROM unnest(${lows}, ${highs}) WITH ORDINALITY AS part (low, high, place)
             ORDER BY place ${range.order} LIMIT ${NO_LIMIT}) AS part
      CROSS JOIN LATERAL (
        SELECT e.id FROM emails e
         WHERE e.account_id = ${account} AND e.id >= part.low AND e.id < part.high AND e.id > ${above} AND e.id < ${below}
           AND strpos(${SEARCH_TEXT}, ${parameters.add(text)}) > 0
         ORDER BY e.account_id ${range.order}, e.id ${range.order} LIMIT ${NO_LIMIT}) AS matches
     ORDER BY place ${range.order}, id ${range.order}`;
    return { sql, order: ['place', 'id'] };
  };
