import { delimiterLine, lineEndBefore } from './delimiter-line.js';

/** A stretch of a multipart body; all of them together are the body. */
export interface Stretch {
  /** `frame`: a delimiter line with the line end before it, or what stands before the first and behind the last part. */
  kind: 'part' | 'frame';
  octets: Buffer;
}

/** Cuts a body along its delimiter lines (RFC 2046 §5.1.1). Without a closing line the last part reaches to the end. */
export function splitMultipart(body: Buffer, boundary: string): Stretch[] {
  const delimiter = Buffer.from(`--${boundary}`);
  const found: Stretch[] = [];
  let kind: Stretch['kind'] = 'frame';
  let from = 0;
  for (let at = body.indexOf(delimiter); at >= 0; at = body.indexOf(delimiter, at + delimiter.length)) {
    const line = delimiterLine(body, at, delimiter.length);
    if (line === null) continue;
    const frame = Math.max(from, lineEndBefore(body, at));
    found.push({ kind, octets: body.subarray(from, frame) }, { kind: 'frame', octets: body.subarray(frame, line.end) });
    from = line.end;
    kind = line.closing ? 'frame' : 'part';
    if (line.closing) break;
  }
  found.push({ kind, octets: body.subarray(from) });
  return found.filter(({ octets }) => octets.length > 0);
}
