/** @typedef {{ p50: number, p95: number, p99: number, max: number }} Percentiles */

/** @param {Float64Array} values in any order @returns {Percentiles} by nearest rank */
export function percentiles(values) {
  const sorted = values.slice().sort();
  const rank = (/** @type {number} */ share) =>
    sorted[Math.min(sorted.length - 1, Math.ceil(share * sorted.length) - 1)];
  return { p50: rank(0.5), p95: rank(0.95), p99: rank(0.99), max: rank(1) };
}

/** @param {number[]} values @returns {number} the median; for an even number of values, the mean of the two in the middle */
export function median(values) {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length >> 1;
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2;
}
