import { type IdScan, type ScanContext, NO_LIMIT } from './id-scan.js';

/** Hex digits of an id's time that form a slice of `emails_by_subject`: 2^24 ms, 4.7 hours. */
const SLICE_DIGITS = 6;
/** Characters of the subject in the index. */
const INDEXED_CHARACTERS = 64;

/**
 * An index on the subject would return the matches of a prefix in order of the subject, not of the id. So the index
 * begins with the time, in slices, and the matches of each slice are sorted. Only as many slices are read as the page
 * needs, with one lookup per slice without a match (some 460 in the 90 days that emails are kept).
 */
export function subjectScan(subject: string, { account, parameters, range }: ScanContext): IdScan {
  const prefix = `lower(left(${parameters.add(subject)}::text, ${INDEXED_CHARACTERS}))`;
  const [below, above] = [parameters.add(range.below), parameters.add(range.above)];
  // In the order of the whole index, so that the planner does not search all accounts for the ends of this one.
  const end = (order: 'ASC' | 'DESC') =>
    `(SELECT ('x' || substr(id, 4, ${SLICE_DIGITS}))::bit(${4 * SLICE_DIGITS})::int FROM emails
       WHERE (account_id, id) < (${account}, ${below}) AND (account_id, id) > (${account}, ${above})
       ORDER BY account_id ${order}, id ${order} LIMIT 1)`;
  const slice = `'em_' || lpad(to_hex(slices.slice), ${SLICE_DIGITS}, '0')`;
  // Compared and sorted as one row like the index, because no other index can serve that.
  const columns = `left(id, ${3 + SLICE_DIGITS}), account_id, lower(left(subject, ${INDEXED_CHARACTERS})) COLLATE "C"`;
  // chr(1114111) is the last code point.
  const sql = `SELECT slices.slice, matches.id
    FROM (SELECT slice FROM generate_series(${end('ASC')}, ${end('DESC')}) AS slice
           ORDER BY slice ${range.order} LIMIT ${NO_LIMIT}) AS slices
    CROSS JOIN LATERAL (
      SELECT id FROM emails
       WHERE (${columns}) >= (${slice}, ${account}, ${prefix}) AND (${columns}) <= (${slice}, ${account}, ${prefix} || chr(1114111))
         AND id < ${below} AND id > ${above} ORDER BY ${columns} LIMIT ${NO_LIMIT}) AS matches
   ORDER BY slice ${range.order}, id ${range.order}`;
  return { sql, order: ['slice', 'id'] };
}
