import { Injectable } from '@nestjs/common';
import { Refusal, type RefusalDetail } from '#libs/contracts';
import { Log } from '#libs/kernel';
import { GraphQLError, Kind, type GraphQLFormattedError } from 'graphql';
import { errorResponse } from '../http/error-body.js';
import { camelCase } from './dto/dto-properties.js';

/**
 * Formats the errors of GraphQL responses, over HTTP and WebSocket. Refusals have the same content as over REST, with the
 * names of GraphQL. Values that do not fit the schema are refusals too. Validation errors of the document keep the codes of the
 * GraphQL ecosystem and contain no suggestions of names. Unexpected errors are logged and reveal nothing.
 */
@Injectable()
export class GraphqlErrors {
  constructor(private readonly log: Log) {}

  format(thrown: unknown, code = 'BAD_USER_INPUT'): GraphQLFormattedError {
    const error = thrown instanceof GraphQLError ? thrown : new GraphQLError('', { originalError: asError(thrown) });
    const { locations, path } = error.toJSON();
    const location = { ...(locations ? { locations } : {}), ...(path ? { path } : {}) };
    const cause = causeOf(error);
    if (cause !== undefined) return { ...this.refused(cause, path), ...location };
    const given = error.extensions['code'];
    const own = typeof given === 'string' ? given : code;
    if (isOfValue(error, own)) return { ...this.refused(valueRefusal(error), path), ...location };
    return { message: withoutSuggestion(error.message), ...location, extensions: { code: own } };
  }

  private refused(cause: unknown, path: readonly (string | number)[] | undefined): GraphQLFormattedError {
    const { body, unexpected } = errorResponse(cause, '');
    if (unexpected) this.log.error('GraphQL field failed', cause, { path: path?.join('.') });
    const details = body.details.map((detail) => ({ ...detail, field: inGraphql(detail.field) }));
    return {
      message: withGraphqlNames(body.message, body.details),
      extensions: {
        code: body.error,
        name: body.name,
        statusCode: body.statusCode,
        details,
        ...(body.errors
          ? { errors: body.errors.map((one) => ({ ...one, field: one.field && inGraphql(one.field) })) }
          : {}),
        ...(cause instanceof Refusal && cause.retryAfter !== undefined ? { retryAfter: cause.retryAfter } : {}),
      },
    };
  }
}

const asError = (thrown: unknown): Error => (thrown instanceof Error ? thrown : new Error(String(thrown)));

/**
 * The error that a resolver threw, or why a value of the response cannot be shown; undefined for an error of the request,
 * which refers to a place in the document but to none in the response.
 */
function causeOf(error: GraphQLError): unknown {
  const chain = [error];
  let cause: unknown = error.originalError;
  for (; cause instanceof GraphQLError; cause = cause.originalError) chain.push(cause);
  if (cause !== undefined) return cause;
  const isOfRequest = chain.length === 1 || chain.some(({ nodes, path }) => nodes !== undefined && path === undefined);
  return isOfRequest ? undefined : chain.at(-1);
}

/** Whether a variable or an argument has a value that does not fit its type. */
function isOfValue({ message, nodes }: GraphQLError, code: string): boolean {
  if (code === 'BAD_USER_INPUT' || code === 'INTERNAL_SERVER_ERROR') return true;
  const [node] = nodes ?? [];
  if (node?.kind !== Kind.VARIABLE_DEFINITION) return false;
  const rest = message.slice(`Variable "$${node.variable.name.value}" `.length);
  return ['got invalid value', 'of required type', 'of non-null type'].some((words) => rest.startsWith(words));
}

/** The message repeats the value, which may have any length. */
const MAX_MESSAGE = 300;

function valueRefusal({ message }: GraphQLError): Refusal {
  const shown = withoutSuggestion(message).slice(0, MAX_MESSAGE);
  const isMissing = message.includes(' was not provided');
  const detail = { field: fieldOf(message), code: isMissing ? 'required' : 'invalid_type', message: shown };
  return new Refusal(isMissing ? 'missing_required_field' : 'validation_error', [detail], shown);
}

const AT = ' at "';

/** The path in the input, such as `to[0]`, or the name of the variable. */
function fieldOf(message: string): string {
  const [, variable = ''] = message.split('"$', 2);
  const name = variable.slice(0, variable.indexOf('"'));
  // The value stands before the path and may contain anything.
  const end = message.lastIndexOf('"; ');
  const start = message.lastIndexOf(AT, end);
  if (start < 0 || end < start) return name;
  const path = message.slice(start + AT.length, end);
  return path.startsWith(`${name}.`) ? path.slice(name.length + 1) : path;
}

const withoutSuggestion = (message: string): string => message.split(' Did you mean ', 1)[0];

/** Members of these fields have names of the caller's choice. */
const FREE_NAMES = new Set(['tags', 'headers']);

/** A path of REST with the names of GraphQL: `reply_to[0]` is `replyTo[0]`. */
function inGraphql(field: string): string {
  const [first, ...rest] = field.split('.');
  return [camelCase(first), ...(FREE_NAMES.has(first) ? rest : rest.map(camelCase))].join('.');
}

/** Sentences repeat the fields of the first problems. */
function withGraphqlNames(sentence: string, details: readonly RefusalDetail[]): string {
  return details.reduce(
    (text, { field }) => (field.includes('_') ? text.replaceAll(field, inGraphql(field)) : text),
    sentence,
  );
}
