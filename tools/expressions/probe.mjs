// Tries expressions on long runs of the words in them. The analysis knows runs of one character only; an expression such as
// `file:[^ ]+/dist/` is slow for a run of `file:`.
import { createContext, Script } from 'node:vm';

const LENGTH = 256 * 1024;
/** Linear time is a few milliseconds; quadratic time is half a minute. */
const HANG_MS = 2_000;
/** Parts of a source that are no plain characters: classes, quantifiers in braces, group openings, and escapes of letters. */
const SYNTAX =
  /\[(?:\\[^]|[^\]\\])*\]|\{\d+(?:,\d*)?\}|\((?:\?(?:<?[=!]|:|<\w+>))?|\\[A-Za-z](?:\{[^}]*\}|[0-9A-Fa-f]{2,4})?|[)*+?.^$|]/g;
const UNBOUNDED = /[*+]|\{\d+,\}/;

const context = createContext({});
const call = new Script('run()');

/**
 * The text for which the expression does not return, as a clause; null if there is none among those tried.
 * @param {{ source: string, flags: string }} expression
 */
export function slowRun({ source, flags }) {
  if (!UNBOUNDED.test(source.replace(/\\[^]|\[(?:\\[^]|[^\]\\])*\]/g, ''))) return null;
  const expression = new RegExp(source, flags);
  for (const piece of pieces(source)) {
    const text = `${piece.repeat(Math.ceil(LENGTH / piece.length))}\0`;
    context.run = () => {
      expression.lastIndex = 0;
      expression.test(text);
    };
    try {
      call.runInContext(context, { timeout: HANG_MS });
    } catch {
      return `it does not return for a run of ${JSON.stringify(piece)}`;
    }
  }
  return null;
}

/** The words of an expression one after another, from the first to each of them. */
function pieces(source) {
  const words = source
    .replace(SYNTAX, '\n')
    .split('\n')
    .map((word) => word.replace(/\\([^])/g, '$1'))
    .filter((word) => word !== '');
  const runs = words.map((_, i) => words.slice(0, i + 1).join('')).filter((run) => run.length > 1);
  return [...new Set([runs[0], runs[1], runs.at(-1)])].filter((run) => run !== undefined && run.length <= 200);
}
