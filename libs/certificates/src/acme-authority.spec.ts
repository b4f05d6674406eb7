import { expect, it } from 'vitest';
import { readProblem } from './acme-authority.js';
import { sentenceOf } from './certificate-renewal.js';

const DIRECTORY = 'https://ca.example.org/directory';

it('reads an error document, with the delay that the authority asks for', () => {
  const data = { type: 'urn:ietf:params:acme:error:rateLimited', detail: 'too many\n certificates' };
  expect(readProblem({ status: 429, data, headers: { 'retry-after': '3600' } })).toMatchObject({
    ...{ type: data.type, message: 'too many certificates', retryAfterMs: 3_600_000 },
  });
  expect(
    readProblem({ status: 429, data: { type: 'x' }, headers: { 'retry-after': 'Fri, 27 Nov 2026' } }),
  ).toMatchObject({
    ...{ message: 'x', retryAfterMs: 0 },
  });
  expect(readProblem({ status: 201, data, headers: {} })).toBeNull();
  expect(readProblem({ status: 502, data: '<html>', headers: {} })).toBeNull();
});

it('makes one sentence of each error', () => {
  expect(sentenceOf(new Error('no\naddress'), DIRECTORY)).toBe('no address');
  const refused = Object.assign(new Error('connect ECONNREFUSED 192.0.2.1:443'), { code: 'ECONNREFUSED' });
  const several = Object.assign(new AggregateError([refused]), { code: 'ECONNREFUSED' });
  for (const error of [refused, several])
    expect(sentenceOf(error, DIRECTORY)).toBe(
      'The authority at ca.example.org cannot be reached: connect ECONNREFUSED 192.0.2.1:443',
    );
});
