import { connect } from 'node:net';

const MEGABYTE = 1024 * 1024;

/** A path that takes JSON, and the largest body that it reads. */
export interface BodyLimit {
  path: string;
  bytes: number;
}

export const ONE_MAIL: BodyLimit = { path: '/emails', bytes: 16 * MEGABYTE };
export const BATCH: BodyLimit = { path: '/emails/batch', bytes: 50 * MEGABYTE };

const KEYS = Array.from({ length: 10_000 }, (_, i) => `"key${i}":1`).join(',');

/** Pieces of bodies that a JSON parser takes seconds for, or that only look like JSON. */
export const HOSTILE_SHAPES: Record<string, string> = {
  'open brackets': '[',
  'empty objects': '{},',
  'nested objects': '{"a":',
  'empty strings': '"",',
  'strings side by side': '""',
  zeros: '0,',
  'empty arrays': '[],',
  'objects of one key': '{"a":1},',
  'objects of ten thousand keys': `{${KEYS}},`,
  'one number without end': '1',
  colons: ':',
};

export function postBody(
  { url, key }: { url: string; key: string },
  path: string,
  body: NonNullable<RequestInit['body']>,
): Promise<Response> {
  return fetch(`${url}${path}`, {
    method: 'POST',
    headers: { authorization: `Bearer ${key}`, 'content-type': 'application/json' },
    body,
    duplex: 'half',
  });
}

/** Of so many blanks, without a declared length. */
export function endlessBody(bytes: number): ReadableStream {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(Buffer.alloc(Math.min(left, 64 * 1024), ' '));
      left -= 64 * 1024;
      if (left <= 0) controller.close();
    },
  });
}

/** What the server answers to a request of which it gets the headers alone. */
export function answerToHeaders(port: number, lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.once('data', (data: Buffer) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
