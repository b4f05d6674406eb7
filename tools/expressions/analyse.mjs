// Tells regular expressions apart whose time grows faster than their input. The analysis is that of the rules
// `no-super-linear-backtracking` and `no-super-linear-move` of eslint-plugin-regexp. It is exact about what it reports and
// knows runs of one repeated character; probe.mjs tries runs of longer pieces.
import { analyse } from 'scslre';

const OPTIONS = { reportTypes: { Self: true, Trade: true, Move: true }, assumeRejectingSuffix: false };
const KINDS = {
  Self: 'a repetition inside another one matches the same text',
  Trade: 'two repetitions can match the same text',
  Move: 'each position of the text begins another search',
};

/**
 * Why the expression is not linear, as a clause; null if it is.
 * @param {{ source: string, flags: string }} expression
 */
export function superLinear({ source, flags }) {
  const { reports } = analyse({ source, flags }, OPTIONS);
  if (reports.length === 0) return null;
  const [{ type, exponential, character }] = reports;
  return `${KINDS[type]}${exponential ? ', exponentially' : ''}: a run of ${JSON.stringify(character.pick)}`;
}
