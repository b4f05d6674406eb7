// Accounts and the cells that they live in.

/**
 * Emails per day of each account, largest first, by Zipf's law.
 * @param {number} accounts @param {number} emails @param {number} [exponent]
 */
export function accountVolumes(accounts, emails, exponent = 1) {
  const weights = Array.from({ length: accounts }, (_, index) => (index + 1) ** -exponent);
  const all = weights.reduce((total, weight) => total + weight, 0);
  return weights.map((weight) => (emails * weight) / all);
}

/**
 * By a directory: each account, largest first, goes to the cell with the least mail.
 * @param {readonly number[]} volumes @param {number} cells @returns emails per day of each cell
 */
export function placeByDirectory(volumes, cells) {
  const loads = Array.from({ length: cells }, () => 0);
  for (const volume of volumes) loads[loads.indexOf(Math.min(...loads))] += volume;
  return loads;
}

/**
 * By a hash of the account, without a directory.
 * @param {readonly number[]} volumes @param {number} cells @param {number} [seed] @returns emails per day of each cell
 */
export function placeByHash(volumes, cells, seed = 1) {
  const loads = Array.from({ length: cells }, () => 0);
  volumes.forEach((volume, account) => (loads[hash(account, seed) % cells] += volume));
  return loads;
}

/** The largest load against the mean. @param {readonly number[]} loads */
export const imbalance = (loads) =>
  (Math.max(...loads) * loads.length) / loads.reduce((total, load) => total + load, 0);

/** The finaliser of MurmurHash3. @param {number} value @param {number} seed */
function hash(value, seed) {
  let h = value ^ Math.imul(seed, 0x9e3779b1);
  h = Math.imul(h ^ (h >>> 16), 0x85ebca6b);
  h = Math.imul(h ^ (h >>> 13), 0xc2b2ae35);
  return (h ^ (h >>> 16)) >>> 0;
}
