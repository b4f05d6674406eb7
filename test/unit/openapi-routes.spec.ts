import { describe, expect, it } from 'vitest';
import { API_OPERATIONS } from '../support/rest/api-operations.js';
import { CONTROLLER_ROUTES } from '../support/rest/controller-routes.js';

/** For people, for mail programs, and for machines on the same host: no part of the API. */
const NOT_DESCRIBED = [
  'GET /',
  'GET /app',
  'GET /app/*',
  'GET /app/message/{id}',
  'GET /app/message/{id}/source',
  'GET /docs',
  'GET /docs/{file}',
  'GET /graphql/assets/{file}',
  'GET /metrics',
  'GET /t/c/*',
  'GET /t/o/*',
  'GET /unsubscribe/{token}',
  'POST /app/message/{id}/images',
  'POST /app/message/{id}/link-check',
  'POST /unsubscribe/{token}',
];

describe('openapi.json', () => {
  it('describes every route that exists, but those for clients of Resend', () => {
    const described = new Set(API_OPERATIONS.map(({ name }) => name));
    const left = CONTROLLER_ROUTES.filter(({ path }) => !path.startsWith('/resend/'))
      .map(({ method, path }) => `${method} ${path}`)
      .filter((name) => !described.has(name));
    expect(left.sort()).toEqual(NOT_DESCRIBED);
  });
});
