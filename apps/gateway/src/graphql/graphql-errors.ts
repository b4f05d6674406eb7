import { Injectable } from '@nestjs/common';
import { Refusal, REFUSALS } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { GraphQLError, type GraphQLFormattedError } from 'graphql';

/**
 * Errors of GraphQL answers, over HTTP and over the socket. A refusal says what it says over REST; a document that does
 * not fit the schema says so without guesses at names; everything else is a surprise and says nothing.
 */
@Injectable()
export class GraphqlErrors {
  constructor(private readonly log: Log) {}

  present(error: GraphQLError, code = 'BAD_USER_INPUT'): GraphQLFormattedError {
    const { locations, path } = error.toJSON();
    const place = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
    const cause = causeOf(error);
    if (cause instanceof Refusal) return { message: cause.message, ...place, extensions: extensionsOf(cause) };
    if (cause === undefined)
      return {
        message: withoutSuggestion(error.message),
        ...place,
        extensions: { code: error.extensions['code'] ?? code },
      };
    this.log.error('graphql field failed', cause, { path: path?.join('.') });
    return {
      message: REFUSALS.internal_server_error.message,
      ...place,
      extensions: extensionsOf(new Refusal('internal_server_error')),
    };
  }
}

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
