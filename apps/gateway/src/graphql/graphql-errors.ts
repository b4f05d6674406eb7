import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

/**
 * Formats the errors of GraphQL responses, over HTTP and WebSocket. Refusals have the same content as over REST. Validation
 * errors contain no suggestions of names. Unexpected errors are logged and reveal nothing.
 */
@Injectable()
export class GraphqlErrors {
  constructor(private readonly log: Log) {}

  format(thrown: unknown, code = 'BAD_USER_INPUT'): GraphQLFormattedError {
    const error = thrown instanceof GraphQLError ? thrown : new GraphQLError('', { originalError: asError(thrown) });
    const { locations, path } = error.toJSON();
    const location = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
    const cause = causeOf(error);
    if (cause === undefined)
      return {
        message: withoutSuggestion(error.message),
        ...location,
        extensions: { code: error.extensions['code'] ?? code },
      };
    if (!(cause instanceof Refusal)) this.log.error('GraphQL field failed', cause, { path: path?.join('.') });
    const refusal = cause instanceof Refusal ? cause : new Refusal('internal_server_error');
    return { message: refusal.message, ...location, extensions: extensionsOf(refusal) };
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** The error that a resolver threw; undefined for an error of the document itself. */
function causeOf(error: GraphQLError): unknown {
  let cause: unknown = error.originalError;
  while (cause instanceof GraphQLError) cause = cause.originalError;
  return cause;
}

const extensionsOf = (refusal: Refusal) => ({
  code: refusal.row.error,
  name: refusal.row.name,
  statusCode: refusal.row.status,
  details: refusal.details,
});

const withoutSuggestion = (message: string): string => message.split(' Did you mean ', 1)[0];
