import { describe, expect, it } from 'vitest';
import { sharedGateway } from '../../support/fixtures/gateway-app.js';
import { rawResponse, RawHttp, statusesOf } from '../../support/attacks/raw-http.js';
import { until } from '../../support/timing/until.js';

const KIB = 1024;
const LIMIT = 8 * KIB;
const PUBLIC = [
  '/app/api/login',
  '/app/api/logout',
  '/app/api/password-reset',
  '/app/api/password-reset/confirm',
  '/app/api/sign-up',
  '/app/api/sign-up/confirm',
  '/app/api/invitations/lookup',
  '/app/api/invitations/accept',
  '/app/api/email/confirm',
];

const post = (path: string, ...headers: string[]): string[] => [
  `POST ${path} HTTP/1.1`,
  'Host: localhost',
  'Content-Type: application/json',
  'Connection: close',
  ...headers,
  '',
  '',
];

describe('bodies of clients without a key', () => {
  it.each(PUBLIC)('have at most 8 KiB, by the declared length before anything is read: %s', async (path) => {
    const { port } = await sharedGateway();
    const answer = await rawResponse({ port }, ...post(path, `Content-Length: ${LIMIT + 1}`, 'Expect: 100-continue'));
    expect(statusesOf(answer)).toEqual([413]);
    expect(answer).toContain('The body is larger than 8 KiB.');
  });

  it.each([...PUBLIC, '/v1/app/api/login', '//app/api/login'])(
    'have at most 8 KiB in chunks, although the body does not end: %s',
    async (path) => {
      const { port } = await sharedGateway();
      const raw = await RawHttp.open({ port });
      raw.write(...post(path, 'Transfer-Encoding: chunked'));
      const chunk = `${LIMIT.toString(16)}\r\n${' '.repeat(LIMIT)}\r\n`;
      for (let i = 0; i < 3; i += 1) raw.write(chunk);
      await until(async () => raw.received !== '', { what: 'the response' });
      expect(statusesOf(raw.received)).toEqual([413]);
      raw.destroy();
    },
  );

  it('may have 8 KiB, of JSON only', async () => {
    const { port } = await sharedGateway();
    const send = (headers: string[], text: string) =>
      rawResponse({ port }, ...headers.slice(0, -1), text.padEnd(LIMIT, ' '));
    const full = await send(post('/app/api/login', `Content-Length: ${LIMIT}`), '{}');
    expect(statusesOf(full)).toEqual([400]);
    expect(full).toContain('email');
    const csv = post('/app/api/login', `Content-Length: ${LIMIT}`).map((line) => line.replace('json', 'csv'));
    expect(statusesOf(await send(csv, ''))).toEqual([400]);
    const zipped = post('/app/api/login', `Content-Length: ${LIMIT}`, 'Content-Encoding: gzip');
    expect(statusesOf(await send(zipped, ''))).toEqual([415]);
  });
});
