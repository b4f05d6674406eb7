/* Quoted strings and comments (RFC 5322 §3.2.2, §3.2.4). Linear. */

/** The offset after the quoted string that begins at `start`; -1 if it is not closed. */
export function endOfQuoted(text: string, start = 0): number {
  for (let at = start + 1; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '"') return at + 1;
  }
  return -1;
}

/** The offset after the comment that begins at `start`, with comments in it; -1 if it is not closed. */
export function endOfComment(text: string, start = 0): number {
  let depth = 0;
  for (let at = start; at < text.length; at += 1) {
    if (text[at] === '\\') at += 1;
    else if (text[at] === '(') depth += 1;
    else if (text[at] === ')') depth -= 1;
    if (depth === 0) return at + 1;
  }
  return -1;
}

/** The content of a quoted string or a comment. */
export const unquoted = (quoted: string): string => quoted.slice(1, -1).replace(/\\(.)/gsu, '$1');

/** Without the spaces around it, but with other white space. */
export function trimSpaces(text: string): string {
  let from = 0;
  let to = text.length;
  while (text[from] === ' ') from += 1;
  while (to > from && text[to - 1] === ' ') to -= 1;
  return text.slice(from, to);
}
