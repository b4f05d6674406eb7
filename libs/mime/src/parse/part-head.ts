import { isUtf8 } from 'node:buffer';

const LF = 0x0a;
const CR = 0x0d;
const MAX_HEAD = 64 * 1024;

/** The header block of a part of any origin. */
export interface PartHead {
  /** In order; names in lower case, values unfolded. */
  fields: [name: string, value: string][];
  body: Buffer;
  /** The block is longer than the part of it that was read. */
  truncated: boolean;
}

/** Lenient: accepts every line that looks like a field, because some mail reader does. */
export function readPartHead(part: Buffer): PartHead {
  const bodyAt = endOfHead(part);
  const head = part.subarray(0, Math.min(bodyAt, MAX_HEAD));
  const fields: PartHead['fields'] = [];
  for (const line of head.toString(isUtf8(head) ? 'utf8' : 'latin1').split(/\r?\n(?![ \t])/)) {
    const colon = line.indexOf(':');
    const name = line.slice(0, Math.max(colon, 0)).trim().toLowerCase();
    if (name !== '') fields.push([name, line.slice(colon + 1).replace(/[\r\n]+/g, '')]);
  }
  return { fields, body: part.subarray(bodyAt), truncated: bodyAt > MAX_HEAD };
}

/** The value of the first field of that name (in lower case); '' where there is none. */
export function partField({ fields }: PartHead, name: string): string {
  return fields.find(([other]) => other === name)?.[1] ?? '';
}

function endOfHead(part: Buffer): number {
  for (let at = 0; at < part.length;) {
    if (part[at] === LF) return at + 1;
    if (part[at] === CR && part[at + 1] === LF) return at + 2;
    const newline = part.indexOf(LF, at);
    if (newline < 0 || newline > MAX_HEAD) break;
    at = newline + 1;
  }
  return part.length;
}
