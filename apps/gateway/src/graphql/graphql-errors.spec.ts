import { Refusal, REFUSALS } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { buildSchema, execute, GraphQLError, parse } from 'graphql';
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

  it('keeps the code of a document that cannot be parsed', () => {
    const syntax = new GraphQLError('Syntax Error: Unexpected <EOF>.');
    const thrown = new GraphQLError(syntax.message, {
      originalError: syntax,
      extensions: { code: 'GRAPHQL_PARSE_FAILED' },
    });
    expect(errors.format(thrown)).toEqual({ message: syntax.message, extensions: { code: 'GRAPHQL_PARSE_FAILED' } });
  });

  it('takes a value that does not fit its type as a refusal', async () => {
    const schema = buildSchema('input I { replyTo: [Int!] } type Query { a(n: Int!, i: I): Int }');
    const execution = await execute({
      schema,
      document: parse('query ($n: Int, $i: I) { a(n: $n, i: $i) }'),
      variableValues: { i: { replyTo: [1, 'x"; at "y'] } },
    });
    expect(execution.errors?.map((error) => errors.format(error))).toMatchObject([
      { extensions: { code: 'bad_request', details: [{ field: 'replyTo[1]', code: 'invalid_type' }] } },
    ]);
    const missing = await execute({ schema, document: parse('query ($n: Int) { a(n: $n) }') });
    expect(missing.errors?.map((error) => errors.format(error, 'INTERNAL_SERVER_ERROR'))).toMatchObject([
      { path: ['a'], extensions: { code: 'bad_request', statusCode: 400 } },
    ]);
    expect(lines).toHaveLength(0);
  });

  it('shows the names of the schema', () => {
    const details = [{ field: 'attachments[0].content_type', code: 'invalid', message: 'is bad' }];
    const refusal = new Refusal('validation_error', details, 'attachments[0].content_type is bad.');
    expect(errors.format(new GraphQLError('', { originalError: refusal }))).toMatchObject({
      message: 'attachments[0].contentType is bad.',
      extensions: { details: [{ field: 'attachments[0].contentType' }] },
    });
    const tags = new Refusal('validation_error', [{ field: 'tags.my_key', code: 'x', message: 'x' }]);
    expect(errors.format(tags)).toMatchObject({ extensions: { details: [{ field: 'tags.my_key' }] } });
  });

  it('logs a value that a response cannot show', async () => {
    lines.length = 0;
    const schema = buildSchema('type Query { a: Int }');
    const { errors: found = [] } = await execute({ schema, document: parse('{ a }'), rootValue: { a: 'secret' } });
    expect(errors.format(found[0])).toMatchObject({ extensions: { code: 'internal_server_error' } });
    expect(lines).toHaveLength(1);
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
