const TEXT_OID = 25;
export const JSON_OID = 114;
const HEAD_BYTES = 20;
const NULL_LENGTH = -1;

/**
 * A one-dimensional array in PostgreSQL's binary form (`array_recv`), for a parameter of type `text[]` or `json[]`. As
 * text every quote of a JSON value would be escaped on this side and unescaped on the other.
 */
export function textArray(values: readonly (string | null)[], elementOid = TEXT_OID): Buffer {
  const lengths = values.map((value) => (value === null ? NULL_LENGTH : Buffer.byteLength(value)));
  const array = Buffer.allocUnsafe(lengths.reduce((sum, length) => sum + 4 + Math.max(length, 0), HEAD_BYTES));
  // Dimensions, flag of nulls, type of the elements, their number, the index of the first.
  let at = 0;
  for (const word of [1, lengths.includes(NULL_LENGTH) ? 1 : 0, elementOid, values.length, 1])
    at = array.writeInt32BE(word, at);
  for (const [i, value] of values.entries()) {
    at = array.writeInt32BE(lengths[i], at);
    if (value !== null) at += array.write(value, at);
  }
  return array;
}
