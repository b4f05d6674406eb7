import { RequestMethod, type Type } from '@nestjs/common';
import type { OpenAPIObject } from '@nestjs/swagger';
import { twinsOf } from './graphql-caller.js';

/** Operations of `openapi.json` without a field in GraphQL, and why. */
const WITHOUT_FIELD: Readonly<Record<string, string>> = {
  'GET /healthz': 'For load balancers, without a key',
  'GET /readyz': 'For load balancers, without a key',
  'GET /openapi.json': 'Describes the REST API; GraphQL describes itself by introspection and `schema.gql`',
  'GET /captured/{id}/raw': 'A file',
  'GET /emails/{id}/attachments/{attachmentId}': '`Email.attachments` has every attachment with its `downloadUrl`',
  'GET /emails/{id}/attachments/{attachmentId}/download': 'A file, opened by `Attachment.downloadUrl`',
  'POST /suppressions': '`addSuppressions` with one entry',
  'DELETE /suppressions/{email}': '`removeSuppressions` with one address',
  'POST /suppressions/import': 'A file',
  'GET /suppressions/export': 'A file',
  'GET /operator/accounts': '`operator.accounts`, for people who are logged in',
  'GET /operator/accounts/{id}': '`operator.account`, for people who are logged in',
  'PATCH /operator/accounts/{id}': '`setAccountPlan` and `setAccountPool`, for people who are logged in',
};

/** Fields that follow what an operation reads once. */
const SUBSCRIPTIONS: Readonly<Record<string, readonly string[]>> = {
  'GET /domains/{id}/stats': ['Subscription.domainStats'],
  'GET /events': ['Subscription.emailEvents'],
  'GET /queues': ['Subscription.queues'],
  'GET /stats': ['Subscription.accountStats'],
};

/** One operation with its fields, or the reason why it has none. */
interface Row {
  operation: string;
  fields: string[];
  reason: string | undefined;
}

/** @throws Error for an operation that has neither a field nor a reason, or both */
export function operationRows(document: OpenAPIObject, resolvers: readonly Type[]): Row[] {
  const fields = fieldsByOperation(resolvers);
  return Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.keys(methods).map((method) => {
      const operation = `${method.toUpperCase()} ${path}`;
      const found = [...(fields.get(operation) ?? []), ...(SUBSCRIPTIONS[operation] ?? [])];
      const reason = WITHOUT_FIELD[operation];
      if (found.length === 0 && reason === undefined)
        throw new Error(
          `${operation} has no GraphQL field: name it in a resolver by @CallerOf, or give the reason in WITHOUT_FIELD of ` +
            'apps/gateway/src/graphql/operations-table.ts',
        );
      if (found.length > 0 && reason !== undefined)
        throw new Error(`${operation} has the field ${found.join(', ')} and a reason in WITHOUT_FIELD to have none`);
      return { operation, fields: found, reason };
    }),
  );
}

function fieldsByOperation(resolvers: readonly Type[]): Map<string, string[]> {
  const fields = new Map<string, string[]>();
  for (const resolver of resolvers)
    for (const [field, { controller, handler }] of twinsOf(resolver)) {
      const operation = operationOf(controller, handler);
      fields.set(operation, [...(fields.get(operation) ?? []), `${parentOf(resolver, field)}.${field}`]);
    }
  return fields;
}

/** `GET /emails/{id}`. */
function operationOf(controller: Type, handler: string): string {
  const method = (controller.prototype as Record<string, object>)[handler];
  const path = [pathOf(controller), pathOf(method)].filter(Boolean).join('/');
  return `${RequestMethod[Reflect.getMetadata('method', method) as number]} /${path.replaceAll(/:(\w+)/g, '{$1}')}`;
}

const pathOf = (target: object): string => String(Reflect.getMetadata('path', target) ?? '').replace(/^\//, '');

const PARENT = 'graphql:resolver_type';

/** Query, Mutation, or the type of the resolver for a nested field. */
function parentOf(resolver: Type, field: string): string {
  const method = (resolver.prototype as Record<string, object>)[field];
  return (Reflect.getMetadata(PARENT, method) ?? Reflect.getMetadata(PARENT, resolver)) as string;
}

const HEADER = `<!-- Generated from apps/gateway/src/graphql by tools/generate.mjs. Do not edit. -->

# REST operations and GraphQL fields

A field does exactly what its REST operation does: the same filters, limits, refusals and scopes. A change that adds an
operation without a field, or without a reason to have none, does not build.

| REST operation | GraphQL fields |
| --- | --- |
`;

/** The text of docs/graphql-operations.md. */
export function renderOperationsTable(document: OpenAPIObject, resolvers: readonly Type[]): string {
  const lines = operationRows(document, resolvers).map(
    ({ operation, fields, reason }) =>
      `| \`${operation}\` | ${reason === undefined ? fields.map((field) => `\`${field}\``).join(', ') : `None. ${reason}`} |`,
  );
  return `${HEADER}${lines.sort().join('\n')}\n`;
}
