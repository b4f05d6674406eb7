import type { IdStream, StreamPlace } from './id-stream.js';
import { ENDLESS } from './parameters.js';

/** Hex digits of an id's time by which `emails_by_subject` is cut: a slice is 2^24 ms, 4.7 hours. */
const SLICE_DIGITS = 6;
/** Characters of a subject that the index has. */
const INDEXED = 64;

/**
 * Matches of a prefix come out of an index in order of the subject, not of the id. So the index has the time first, in
 * slices, and the matches of one slice after the other are sorted: as few slices as the page needs, and one look into
 * each slice without a match (some 460 in the 90 days that mails are kept).
 */
export function subjectStream(subject: string, { account, parameters, range }: StreamPlace): IdStream {
  const prefix = `lower(left(${parameters.add(subject)}::text, ${INDEXED}))`;
  const [below, above] = [parameters.add(range.below), parameters.add(range.above)];
  // In the order of the whole index, so that no plan looks for this account's ends among everybody's mails.
  const end = (order: 'ASC' | 'DESC') =>
    `(SELECT ('x' || substr(id, 4, ${SLICE_DIGITS}))::bit(${4 * SLICE_DIGITS})::int FROM emails
       WHERE (account_id, id) < (${account}, ${below}) AND (account_id, id) > (${account}, ${above})
       ORDER BY account_id ${order}, id ${order} LIMIT 1)`;
  const slice = `'em_' || lpad(to_hex(slices.slice), ${SLICE_DIGITS}, '0')`;
  // Compared as one row and sorted by, as the index has it: no other index can answer that.
  const columns = `left(id, ${3 + SLICE_DIGITS}), account_id, lower(left(subject, ${INDEXED})) COLLATE "C"`;
  // chr(1114111) is the last character there is.
  const sql = `SELECT slices.slice, matches.id
    FROM (SELECT slice FROM generate_series(${end('ASC')}, ${end('DESC')}) AS slice
           ORDER BY slice ${range.order} LIMIT ${ENDLESS}) AS slices
    CROSS JOIN LATERAL (
      SELECT id FROM emails
       WHERE (${columns}) >= (${slice}, ${account}, ${prefix}) AND (${columns}) <= (${slice}, ${account}, ${prefix} || chr(1114111))
         AND id < ${below} AND id > ${above} ORDER BY ${columns} LIMIT ${ENDLESS}) AS matches
   ORDER BY slice ${range.order}, id ${range.order}`;
  return { sql, order: ['slice', 'id'] };
}
