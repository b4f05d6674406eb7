import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Config } from '#libs/kernel';
import {
  GraphQLError,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  type DocumentNode,
  type GraphQLSchema,
  type ValidationRule,
} from 'graphql';
import { queryCost } from './query-cost.js';
import { isStorable, queryRules } from './query-limits.js';
import { isNestedDeeper } from './query-nesting.js';

/** The part of a request that is checked before it is executed. */
export interface CheckedRequest {
  operationName?: string | null | undefined;
  variables?: Readonly<Record<string, unknown>> | null | undefined;
}

/** More than the deepest permitted query with the deepest input object. */
const MAX_NESTING = 250;

/** The checks of every operation, over HTTP and WebSocket alike, with the limits of the settings. */
@Injectable()
export class QueryGuard {
  readonly rules: ValidationRule[];
  readonly tokens: number;
  private readonly cost: number;

  constructor({ settings }: Config) {
    this.rules = [
      ...queryRules({ depth: settings.GRAPHQL_MAX_DEPTH, aliases: settings.GRAPHQL_MAX_ALIASES }),
      ...(settings.GRAPHQL_INTROSPECTION ? [] : [NoSchemaIntrospectionCustomRule]),
    ];
    this.tokens = settings.GRAPHQL_MAX_TOKENS;
    this.cost = settings.GRAPHQL_MAX_COST;
  }

  /** The document of a request over a WebSocket; HTTP uses the rules in its own pipeline. @throws GraphQLError */
  parsed(schema: GraphQLSchema, query: string, request: CheckedRequest): DocumentNode | readonly GraphQLError[] {
    this.requireShallow(query);
    const document = parse(query, { maxTokens: this.tokens });
    const problems = validate(schema, document, [...specifiedRules, ...this.rules]);
    if (problems.length > 0) return problems;
    this.requireAffordable(schema, document, request);
    // Over HTTP, the parser of the body refuses such text.
    requireStorable(request.variables ?? {});
    return document;
  }

  /** Before the document is parsed. @throws GraphQLError whose cause is a refusal */
  requireShallow(query: string): void {
    if (!isNestedDeeper(query, MAX_NESTING, this.tokens)) return;
    const message = `must be nested at most ${MAX_NESTING} levels deep`;
    throw refused(
      new Refusal('validation_error', [{ field: 'query', code: 'too_deep', message }], `The query ${message}.`),
    );
  }

  /** @throws GraphQLError whose cause is a refusal */
  requireAffordable(schema: GraphQLSchema, document: DocumentNode, { operationName, variables }: CheckedRequest): void {
    const cost = queryCost({ schema, document, operationName, variables });
    if (cost <= this.cost) return;
    const message = `must ask for at most ${this.cost} objects; by the sizes of its lists it asks for ${cost}`;
    throw refused(
      new Refusal('validation_error', [{ field: '', code: 'too_costly', message }], `The query ${message}.`),
    );
  }
}

/** @throws GraphQLError for text that cannot be stored, anywhere in the variables */
function requireStorable(variables: unknown): void {
  if (typeof variables === 'object' && variables !== null)
    for (const value of Object.values(variables)) requireStorable(value);
  if (typeof variables !== 'string' || isStorable(variables)) return;
  const message = 'must not contain U+0000 or half a surrogate pair';
  throw refused(
    new Refusal('validation_error', [{ field: '', code: 'invalid_unicode', message }], `Variables ${message}.`),
  );
}

/** Apollo answers errors before the execution with 500 unless they name a status. */
const refused = (refusal: Refusal): GraphQLError =>
  new GraphQLError(refusal.message, {
    originalError: refusal,
    extensions: { http: { status: refusal.row.status } },
  });
