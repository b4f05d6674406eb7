import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

/**
 * Errors of GraphQL answers, over HTTP and over the socket. A refusal says what it says over REST; a document that does
 * not fit the schema says so without guesses at names; everything else is a surprise and says nothing.
 */
@Injectable()
export class GraphqlErrors {
  constructor(private readonly log: Log) {}

  present(thrown: unknown, code = 'BAD_USER_INPUT'): GraphQLFormattedError {
    const error = thrown instanceof GraphQLError ? thrown : new GraphQLError('', { originalError: asError(thrown) });
    const { locations, path } = error.toJSON();
    const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
    const cause = causeOf(error);
    if (cause === undefined)
      return {
        message: withoutSuggestion(error.message),
        ...place,
        extensions: { code: error.extensions['code'] ?? code },
      };
    if (!(cause instanceof Refusal)) this.log.error('graphql field failed', cause, { path: path?.join('.') });
    const refusal = cause instanceof Refusal ? cause : new Refusal('internal_server_error');
    return { message: refusal.message, ...place, extensions: extensionsOf(refusal) };
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/** What a resolver threw; undefined for an error that graphql-js itself made of the document. */
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
