import { Refusal, REFUSALS } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { GraphQLError } from 'graphql';
import { pino } from 'pino';
import { describe, expect, it } from 'vitest';
import { GraphqlErrors } from './graphql-errors.js';

const lines: string[] = [];
const errors = new GraphqlErrors(new Log(pino({}, { write: (line: string) => lines.push(line) })));

describe('GraphqlErrors', () => {
  it('tells a refusal as REST tells it', () => {
    const details = [{ field: 'from', code: 'invalid_parameter', message: 'x' }];
    const thrown = new GraphQLError('wrapped', { originalError: new Refusal('invalid_parameter', details) });
    expect(errors.present(thrown)).toEqual({
      message: REFUSALS.invalid_parameter.message,
      extensions: { code: 'bad_request', name: 'invalid_parameter', statusCode: 400, details },
    });
    expect(lines).toHaveLength(0);
  });

  it('guesses at no names for a document that does not fit', () => {
    const thrown = new GraphQLError('Cannot query field "domans" on type "Query". Did you mean "domains"?');
    expect(errors.present(thrown, 'GRAPHQL_VALIDATION_FAILED')).toEqual({
      message: 'Cannot query field "domans" on type "Query".',
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
  });

  it.each([
    [new Error('SELECT secret at /srv')],
    [new GraphQLError('x', { originalError: new Error('SELECT secret') })],
    ['SELECT'],
  ])('logs a surprise once and tells nothing of it: %s', (thrown) => {
    lines.length = 0;
    const shown = errors.present(thrown);
    expect(shown.message).toBe(REFUSALS.internal_server_error.message);
    expect(JSON.stringify(shown)).not.toContain('SELECT');
    expect(lines).toHaveLength(1);
  });
});
