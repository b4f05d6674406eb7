import { connect } from 'node:net';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { waitsDuring, type Waits } from '../support/honest-client.js';
import { mail } from '../support/mail.js';
import { startStandalone, type RunningProgram } from '../support/program.js';

const MEGABYTE = 1024 * 1024;
const ONE = { path: '/emails', bytes: 16 * MEGABYTE };
const BATCH = { path: '/emails/batch', bytes: 50 * MEGABYTE };
type Door = typeof ONE;

/** Bodies that a parser of JSON takes seconds for, or that only look like JSON (promises S-35). */
const SHAPES: Record<string, string> = {
  'open brackets': '[',
  'empty objects': '{},',
  'nested objects': '{"a":',
  'empty strings': '"",',
  'strings side by side': '""',
  zeros: '0,',
  'empty arrays': '[],',
  'objects of one key': '{"a":1},',
  'one number without end': '1',
  colons: ':',
};

interface Refused {
  statusCode: number;
  error: string;
  details: { code: string }[];
}

/** Nobody is kept waiting by a body, however it is made (D-19, promises S-33, S-35). */
describe('hostile bodies', () => {
  let program: RunningProgram;
  beforeAll(async () => {
    program = await startStandalone();
  });
  afterAll(async () => {
    await program?.stop();
    program?.clean();
  });

  const post = (path: string, body: NonNullable<RequestInit['body']>) =>
    fetch(`${program.url}${path}`, {
      method: 'POST',
      headers: { authorization: `Bearer ${program.key}`, 'content-type': 'application/json' },
      body,
      duplex: 'half',
    });

  /** The longest pause of the process's own event loop since the last time that this was asked, in ms. */
  const longestPause = async (): Promise<number> => {
    const metrics = await (await fetch(`${program.url}/metrics`)).text();
    return Number(/^nodejs_eventloop_lag_max_seconds (\S+)$/m.exec(metrics)?.[1]) * 1000;
  };

  const observed = async (during: () => Promise<void>): Promise<Waits & { pause: number }> => {
    await longestPause();
    const waits = await waitsDuring(`${program.url}/healthz`, during);
    return { ...waits, pause: await longestPause() };
  };

  it.each([
    ['one mail', ONE],
    ['a batch', BATCH],
  ])('without a key are refused before anything of them is read: %s', async (_what, { path, bytes }) => {
    const answer = await headersOnly(program.ports.http, [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      'Content-Type: application/json',
      `Content-Length: ${bytes}`,
      'Expect: 100-continue',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 401 /);
  });

  it.each([
    ['one mail', ONE],
    ['a batch', BATCH],
  ])('that are too large are refused by their declared length: %s', async (_what, { path, bytes }) => {
    const answer = await headersOnly(program.ports.http, [
      `POST ${path} HTTP/1.1`,
      'Host: localhost',
      `Authorization: Bearer ${program.key}`,
      'Content-Type: application/json',
      `Content-Length: ${bytes + 1}`,
      'Expect: 100-continue',
    ]);
    expect(answer).toMatch(/^HTTP\/1\.1 422 /);
  });

  it.each([
    ['one mail', ONE],
    ['a batch', BATCH],
  ])('that do not say how large they are are refused where the limit is passed: %s', async (_what, { path, bytes }) => {
    const answer = await post(path, endless(bytes + 2 * MEGABYTE));
    expect(answer.status).toBe(422);
    expect(await answer.json()).toMatchObject({ error: 'unprocessable_entity' });
  });

  it.each([
    ['16 MB for one mail', ONE],
    ['50 MB for a batch', BATCH],
  ])(
    'are refused without keeping an honest client waiting: ten shapes of %s',
    async (what, door) => {
      const calm = await observed(async () => {
        for (let i = 0; i < 10; i += 1) expect((await post(door.path, honestBody(door))).status).toBe(201);
      });
      const hostile = await observed(async () => {
        for (const [shape, piece] of Object.entries(SHAPES)) {
          const answer = await post(door.path, Buffer.alloc(door.bytes, piece));
          const body = (await answer.json()) as Refused;
          expect([answer.status, body.error, body.details.length], shape).toEqual([400, 'bad_request', 1]);
        }
      });
      const show = ({ count, median, p99, worst, pause }: Waits & { pause: number }) =>
        `p50 ${median.toFixed(1)}, p99 ${p99.toFixed(0)}, worst ${worst.toFixed(0)} of ${count}, longest pause ${pause.toFixed(0)}`;
      console.log(
        `${what}: honest client in ms beside honest bodies: ${show(calm)}; beside hostile ones: ${show(hostile)}`,
      );
      // Unscanned, most of the ten stop the process for a second or more each.
      expect(hostile.pause).toBeLessThan(Math.max(100, 2 * calm.pause));
      expect(hostile.p99).toBeLessThan(Math.max(250, 2 * calm.p99));
    },
    180_000,
  );

  it('in a batch are counted mail by mail and all together', async () => {
    /** A comma is one value or separator, the zero before it none. */
    const complex = (values: number) => `{"x":[${'0,'.repeat(values)}0]}`;
    const statusOf = async (body: string) => (await post(BATCH.path, body)).status;
    const codeOf = async (body: string) => ((await (await post(BATCH.path, body)).json()) as Refused).details[0].code;
    // Far more than one mail may have in all, and nothing wrong with it but that these are no mails.
    expect(await codeOf(`[${Array<string>(5).fill(complex(19_000)).join(',')}]`)).not.toBe('too_complex');
    expect(await codeOf(`[{},${complex(20_000)}]`)).toBe('too_complex');
    expect(await codeOf(`[${Array<string>(7).fill(complex(19_000)).join(',')}]`)).toBe('too_complex');
    expect(await statusOf(`[${JSON.stringify(mail())}]`)).toBe(201);
  });
});

/** As large as may be, and as a customer would send it: files. */
function honestBody({ path, bytes }: Door): string {
  const content = Buffer.alloc(9 * MEGABYTE, 'Once upon a midnight dreary, ').toString('base64');
  const one = mail({ attachments: [{ filename: 'raven.txt', content }], scheduled_at: inAnHour() });
  return JSON.stringify(path === ONE.path ? one : Array(Math.floor(bytes / (13 * MEGABYTE))).fill(one));
}

const inAnHour = (): string => new Date(Date.now() + 3_600_000).toISOString();

function endless(bytes: number): ReadableStream {
  let left = bytes;
  return new ReadableStream({
    pull(controller) {
      controller.enqueue(Buffer.alloc(Math.min(left, 64 * 1024), ' '));
      left -= 64 * 1024;
      if (left <= 0) controller.close();
    },
  });
}

/** What the server says to a request of which it gets the headers alone. */
function headersOnly(port: number, lines: string[]): Promise<string> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, '127.0.0.1', () => socket.write(`${lines.join('\r\n')}\r\n\r\n`));
    socket.once('data', (data: Buffer) => {
      resolve(data.toString());
      socket.destroy();
    });
    socket.once('error', reject);
  });
}
