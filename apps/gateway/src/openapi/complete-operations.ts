import type { OpenAPIObject } from '@nestjs/swagger';
import { ACCESS_EXTENSION } from '../http/route-access.js';
import { completeFields, type SchemaObject } from './complete-fields.js';
import { IDEMPOTENCY_HEADER, wordsOf } from './operation.js';
import { pathParameter } from './path-parameters.js';

type PathItem = OpenAPIObject['paths'][string];
type OperationObject = NonNullable<PathItem['get']> & { [ACCESS_EXTENSION]?: string };
type ParameterObject = Extract<NonNullable<OperationObject['parameters']>[number], { in: string }>;
type ResponseObject = Extract<NonNullable<OperationObject['responses'][string]>, { description: string }>;

const METHODS = ['get', 'put', 'post', 'patch', 'delete'] as const;

const text = (description: string, example: string) => ({
  description,
  schema: { type: 'string', examples: [example] },
});
const count = (description: string, example: number) => ({
  description,
  schema: { type: 'integer', minimum: 0, examples: [example] },
});

/** Headers of answers, described once. */
const HEADERS = {
  'x-request-id': text('The id of this request; errors repeat it in the body', 'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d'),
  'x-ignored-fields': text(
    'Given fields and parameters that this operation does not know, in URL encoding',
    'topic_id',
  ),
  'ratelimit-limit': count('Requests that the account may have in stock; absent when nothing is limited', 100),
  'ratelimit-remaining': count('Requests that are left at this moment', 99),
  'ratelimit-reset': count('Seconds until the stock is full again', 1),
  'retry-after': count('Seconds to wait before the next try; absent when the monthly allowance is used up', 1),
  'x-quota-limit': count('Units a month; these three only when the monthly allowance is used up', 3000),
  'x-quota-remaining': count('Units that are left in this month', 0),
  'x-quota-reset': count('Seconds until the next month begins, in UTC', 86_400),
  'idempotent-replayed': text('`true` when this is the answer of an earlier request with the same key', 'true'),
} as const;
type HeaderName = keyof typeof HEADERS;

const EVERYWHERE: HeaderName[] = ['x-request-id'];
const WITH_KEY: HeaderName[] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

/** Nobody is asked who he is on a public route. */
const WITH_KEY_ONLY = ['401', '403', '429'];
const BAD_BODY = ['400', '415', '422'];

/** What follows from the kind of an operation and is not written at each: access, headers, path parameters. */
export function completeOperations(document: OpenAPIObject): void {
  document.components = { ...document.components, headers: { ...HEADERS } };
  for (const schema of Object.values(document.components.schemas ?? {})) completeFields(schema as SchemaObject);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation: OperationObject | undefined = item[method];
      if (!operation) continue;
      if (method !== 'get') addBodyRefusals(operation);
      complete(operation, `${method.toUpperCase()} ${path}`);
      item[method] = inReadingOrder(operation);
    }
  }
}

/** A body is judged before anybody asks whether the operation needs one: not JSON, compressed, too large. */
function addBodyRefusals({ responses }: OperationObject): void {
  for (const status of BAD_BODY) {
    const { description, example } = wordsOf(Number(status));
    const content = (responses['500'] as ResponseObject).content?.['application/json'];
    responses[status] ??= { description, content: { 'application/json': { ...content, example } } };
  }
}

function inReadingOrder({ operationId, tags, summary, description, ...rest }: OperationObject): OperationObject {
  return { operationId, tags, summary, description, ...rest };
}

function complete(operation: OperationObject, name: string): void {
  const access = operation[ACCESS_EXTENSION];
  if (access === undefined) throw new Error(`${name} must declare @RequiresScope(…) or @Public()`);
  if (access === 'public') {
    delete operation[ACCESS_EXTENSION];
    operation.security = [];
    for (const status of WITH_KEY_ONLY) delete operation.responses[status];
  } else delete operation.security;
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  for (const parameter of parameters) completeParameter(parameter, name);
  const idempotent = parameters.some((parameter) => parameter.name === IDEMPOTENCY_HEADER);
  for (const [status, response] of Object.entries(operation.responses)) {
    const names = [...EVERYWHERE, ...(access === 'public' ? [] : WITH_KEY), ...headersOf(Number(status), idempotent)];
    addHeaders(response as ResponseObject, names);
  }
}

function completeParameter(parameter: ParameterObject, operation: string): void {
  if (parameter.in === 'path') Object.assign(parameter, pathParameter(parameter.name, operation));
  // `tags[kind]=login`: a map in a query string.
  const { type } = (parameter.schema ?? {}) as { type?: unknown };
  if (parameter.in === 'query' && type === 'object') Object.assign(parameter, { style: 'deepObject', explode: true });
}

function headersOf(status: number, idempotent: boolean): HeaderName[] {
  // Of the operations that use up the allowance; these are the idempotent ones.
  if (status === 429 && idempotent) return ['retry-after', 'x-quota-limit', 'x-quota-remaining', 'x-quota-reset'];
  if (status === 429 || status === 503) return ['retry-after'];
  if (status >= 300) return [];
  return idempotent ? ['x-ignored-fields', 'idempotent-replayed'] : ['x-ignored-fields'];
}

function addHeaders(response: ResponseObject, names: HeaderName[]): void {
  const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  response.headers = { ...(Object.fromEntries(shared) as ResponseObject['headers']), ...response.headers };
}
