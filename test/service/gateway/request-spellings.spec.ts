import { request as httpRequest } from 'node:http';
import { beforeAll, describe, expect, it } from 'vitest';
import { sharedGateway, type GatewayApp } from '../../support/fixtures/gateway-app.js';

let gateway: GatewayApp;
let account: Awaited<ReturnType<GatewayApp['account']>>;
beforeAll(async () => {
  gateway = await sharedGateway();
  account = await gateway.account();
});

interface Answer {
  status: number;
  body: ReturnType<JSON['parse']>;
}

function send(method: string, path: string, { type, body }: { type?: string; body?: string } = {}): Promise<Answer> {
  const headers = {
    authorization: `Bearer ${account.key}`,
    ...(body === undefined
      ? {}
      : { 'content-type': type ?? 'application/json', 'content-length': Buffer.byteLength(body) }),
  };
  return new Promise((resolve, reject) => {
    const options = { port: gateway.port, host: '127.0.0.1', method, path, headers, agent: false };
    const request = httpRequest(options, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, body: JSON.parse(Buffer.concat(chunks).toString() || 'null') }),
      );
    });
    request.once('error', reject);
    request.end(body);
  });
}

const email = (fields: object = {}) => ({
  from: `a@${account.domain}`,
  to: ['b@example.org'],
  subject: 'Grüße',
  text: 'x',
  ...fields,
});

describe('the charset of a JSON body', () => {
  it.each([
    'utf8',
    'UTF8',
    'utf-8',
    '"utf-8"',
    '"UTF8"',
    "'utf-8'",
    'utf_8',
    'us-ascii',
    'US-ASCII',
    'ascii',
    '"us-ascii"',
    'ANSI_X3.4-1968',
    'unicode-1-1-utf-8',
    '',
    '""',
  ])('%s is read', async (charset) => {
    for (const type of [
      `application/json; charset=${charset}`,
      `application/json;charset=${charset}`,
      `application/json ; Charset = ${charset}`,
      `application/json; profile="a;charset=x"; charset=${charset};`,
    ]) {
      const sent = await send('POST', '/emails', { type, body: JSON.stringify(email()) });
      expect(sent.status, type).toBe(201);
      const asked = await send('POST', '/graphql', { type, body: JSON.stringify({ query: '{ domains { name } }' }) });
      expect(asked.body, type).toMatchObject({ data: { domains: [{ name: account.domain }] } });
      const facade = await send('POST', '/resend/emails', { type, body: JSON.stringify(email()) });
      expect(facade.status, type).toBe(200);
    }
  });

  it.each(['utf-16', 'iso-8859-1', 'windows-1252', 'utf-7', 'utf-32', 'none', '"utf-8; x"'])(
    '%s is refused',
    async (charset) => {
      const type = `application/json; charset=${charset}`;
      const answer = await send('POST', '/emails', { type, body: JSON.stringify(email()) });
      expect(answer.body).toMatchObject({ statusCode: 400, message: expect.stringContaining('UTF-8') as string });
    },
  );
});

describe('a timestamp', () => {
  const tomorrow = (): string => new Date(Date.now() + 86_400_000).toISOString().slice(0, 19);
  const forms = ['Z', 'z', '+00', '-00', '+0000', '+00:00', '+0530', '-08', '.5Z', '.123456789+02'];

  it.each(forms)('may end with %s, in REST, GraphQL and for clients of Resend', async (end) => {
    for (const local of [tomorrow(), tomorrow().replace('T', 't')]) {
      const time = local + end;
      const body = JSON.stringify(email({ scheduled_at: time }));
      expect((await send('POST', '/emails', { body })).status, `REST ${time}`).toBe(201);
      expect((await send('POST', '/resend/emails', { body })).status, `Resend ${time}`).toBe(200);
      const query = encodeURIComponent(time);
      expect((await send('GET', `/emails?created_after=${query}`)).status, `query ${time}`).toBe(200);
      expect((await send('GET', `/domains/${account.domainId}/stats?to=${query}`)).status, `stats ${time}`).toBe(200);
      const graphql = JSON.stringify({
        query: 'query ($at: DateTime) { emails(first: 1, filter: { createdAfter: $at }) { edges { node { id } } } }',
        variables: { at: time },
      });
      expect((await send('POST', '/graphql', { body: graphql })).body, `GraphQL ${time}`).toMatchObject({
        data: { emails: { edges: [] } },
      });
    }
  });

  it.each(['/emails?created_after=', '/events?created_before=', '/logs?created_after=', '/domains/stats?from='])(
    'with a literal + in %s is refused with a hint',
    async (path) => {
      const target = path.replace('/domains/', `/domains/${account.domainId}/`);
      for (const offset of ['+02:00', '+0200', '+02']) {
        const answer = await send('GET', `${target}2026-04-01T22:58:56${offset}`);
        expect(answer.body, offset).toMatchObject({
          statusCode: 400,
          message: expect.stringContaining('%2B') as string,
        });
      }
      const other = await send('GET', `${target}yesterday`);
      expect(other.body).toMatchObject({ statusCode: 400, message: expect.not.stringContaining('%2B') as string });
    },
  );
});
