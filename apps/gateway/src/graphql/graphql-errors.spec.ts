import { Refusal, REFUSALS } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { GraphQLError } from 'graphql';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { GraphqlErrors } from './graphql-errors.js';

const lines: string[] = [];
const errors = new GraphqlErrors(new Log(pino({}, { write: (line: string) => lines.push(line) })));

describe('GraphqlErrors', () => {
  it('formats a refusal like REST', () => {
    const details = [{ field: 'from', code: 'invalid_parameter', message: 'x' }];
    const thrown = new GraphQLError('wrapped', { originalError: new Refusal('invalid_parameter', details) });
    expect(errors.format(thrown)).toEqual({
      message: REFUSALS.invalid_parameter.message,
      extensions: { code: 'bad_request', name: 'invalid_parameter', statusCode: 400, details },
    });
    expect(lines).toHaveLength(0);
  });

  it('suggests no names for an invalid document', () => {
    const thrown = new GraphQLError('Cannot query field "domans" on type "Query". Did you mean "domains"?');
    expect(errors.format(thrown, 'GRAPHQL_VALIDATION_FAILED')).toEqual({
      message: 'Cannot query field "domans" on type "Query".',
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });

  it.each([
    [new Error('SELECT secret at /srv')],
    [new GraphQLError('x', { originalError: new Error('SELECT secret') })],
    ['SELECT'],
  ])('logs an unexpected error once and reveals nothing about it: %s', (thrown) => {
    lines.length = 0;
    const shown = errors.format(thrown);
    expect(shown.message).toBe(REFUSALS.internal_server_error.message);
    expect(JSON.stringify(shown)).not.toContain('SELECT');
    expect(lines).toHaveLength(1);
  });
});
