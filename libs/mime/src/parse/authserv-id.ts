/**
 * The authentication service of an `Authentication-Results` field (RFC 8601 §2.2), in lower case without a final dot; ''
 * where the value has none. Skips comments, also nested ones, before it. Linear.
 */
export function authservIdOf(value: string): string {
  const start = endOfComments(value);
  const id = value[start] === '"' ? quotedText(value, start + 1) : wordAt(value, start);
  return id.toLowerCase().replace(/\.$/, '');
}

/** The first position that is neither white space nor inside a comment (RFC 5322 §3.2.2). */
function endOfComments(value: string): number {
  let depth = 0;
  for (let at = 0; at < value.length; at += 1) {
    const mark = value[at];
    if (mark === '(') depth += 1;
    else if (mark === ')' && depth > 0) depth -= 1;
    else if (mark === '\\' && depth > 0) at += 1;
    else if (depth === 0 && mark !== ' ' && mark !== '\t') return at;
  }
  return value.length;
}

function quotedText(value: string, start: number): string {
  let text = '';
  for (let at = start; at < value.length && value[at] !== '"'; at += 1) {
    if (value[at] === '\\') at += 1;
    text += value[at] ?? '';
  }
  return text;
}

function wordAt(value: string, start: number): string {
  let end = start;
  while (end < value.length && !' \t;('.includes(value[end])) end += 1;
  return value.slice(start, end);
}
