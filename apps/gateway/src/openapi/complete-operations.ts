import type { OpenAPIObject } from '@nestjs/swagger';
import { ACCESS_EXTENSION } from '../http/route-access.js';
import { describeCommonFields, type SchemaObject } from './common-fields.js';
import { errorResponseOf, IDEMPOTENCY_HEADER } from './operation.js';
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

/** Response headers, defined once as components. */
const HEADERS = {
  'x-request-id': text('The id of this request, also in the body of errors', 'req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d'),
  'x-ignored-fields': text('Unknown fields and parameters of the request, URL-encoded', 'topic_id'),
  'ratelimit-limit': count('Maximum number of requests in a burst; absent if requests are not limited', 100),
  'ratelimit-remaining': count('Number of requests left', 99),
  'ratelimit-reset': count('Seconds until the full limit is available again', 1),
  'retry-after': count('Seconds to wait before a retry; absent if the monthly allowance is used up', 1),
  'x-quota-limit': count(
    'Units per month; these three headers are only sent when the monthly allowance is used up',
    3000,
  ),
  'x-quota-remaining': count('Units left in this month', 0),
  'x-quota-reset': count('Seconds until the next month begins, in UTC', 86_400),
  'idempotent-replayed': text('`true` if this is the response to an earlier request with the same key', 'true'),
} as const;
type HeaderName = keyof typeof HEADERS;

const ALWAYS: HeaderName[] = ['x-request-id'];
const WITH_KEY: HeaderName[] = ['ratelimit-limit', 'ratelimit-remaining', 'ratelimit-reset'];

/** Public routes have none of these errors. */
const KEY_ERRORS = ['401', '403', '429'];

/** Adds to each operation the parts that follow from its kind: access, headers, path parameters and body errors. */
export function completeOperations(document: OpenAPIObject): void {
  document.components = { ...document.components, headers: { ...HEADERS } };
  for (const [name, schema] of Object.entries(document.components.schemas ?? {}))
    describeCommonFields(name, schema as SchemaObject);
  for (const [path, item] of Object.entries(document.paths)) {
    for (const method of METHODS) {
      const operation: OperationObject | undefined = item[method];
      if (!operation) continue;
      if (method !== 'get') addErrors(operation, BODY_ERRORS);
      if (path.includes('{')) addErrors(operation, PATH_ERRORS);
      complete(operation, `${method.toUpperCase()} ${path}`);
      item[method] = sortKeys(operation);
    }
  }
}

/** A body is checked even if the operation has none: it may be compressed, too large or not JSON. */
const BODY_ERRORS = ['400', '415', '422'];
/** A path parameter may contain control characters. */
const PATH_ERRORS = ['400'];

function addErrors({ responses }: OperationObject, statuses: readonly string[]): void {
  for (const status of statuses) {
    const { description, example } = errorResponseOf(Number(status));
    const content = (responses['500'] as ResponseObject).content?.['application/json'];
    responses[status] ??= { description, content: { 'application/json': { ...content, example } } };
  }
}

function sortKeys({ operationId, tags, summary, description, ...rest }: OperationObject): OperationObject {
  return { operationId, tags, summary, description, ...rest };
}

function complete(operation: OperationObject, name: string): void {
  const access = operation[ACCESS_EXTENSION];
  if (access === undefined) throw new Error(`${name} must declare @RequiresScope(…) or @Public()`);
  if (access === 'public') {
    delete operation[ACCESS_EXTENSION];
    operation.security = [];
    for (const status of KEY_ERRORS) delete operation.responses[status];
  } else delete operation.security;
  const parameters = (operation.parameters ?? []) as ParameterObject[];
  for (const parameter of parameters) completeParameter(parameter, name);
  const idempotent = parameters.some((parameter) => parameter.name === IDEMPOTENCY_HEADER);
  for (const [status, response] of Object.entries(operation.responses)) {
    const names = [...ALWAYS, ...(access === 'public' ? [] : WITH_KEY), ...headersOf(Number(status), idempotent)];
    addHeaders(response as ResponseObject, names);
  }
}

function completeParameter(parameter: ParameterObject, operation: string): void {
  if (parameter.in === 'path') Object.assign(parameter, pathParameter(parameter.name, operation));
  // A map in the query string, such as `tags[kind]=login`.
  const { type } = (parameter.schema ?? {}) as { type?: unknown };
  if (parameter.in !== 'query' || type !== 'object') return;
  // The library knows only keywords of OpenAPI 3.0 as those of a schema.
  const { propertyNames, ...rest } = parameter as ParameterObject & { propertyNames?: object };
  const schema = { ...rest.schema, ...(propertyNames === undefined ? {} : { propertyNames }) };
  Object.assign(parameter, { ...rest, schema, style: 'deepObject', explode: true });
  delete (parameter as { propertyNames?: object }).propertyNames;
}

function headersOf(status: number, idempotent: boolean): HeaderName[] {
  // The operations that count against the allowance are the idempotent ones.
  if (status === 429 && idempotent) return ['retry-after', 'x-quota-limit', 'x-quota-remaining', 'x-quota-reset'];
  if (status === 429 || status === 503) return ['retry-after'];
  if (status >= 300) return [];
  return idempotent ? ['x-ignored-fields', 'idempotent-replayed'] : ['x-ignored-fields'];
}

function addHeaders(response: ResponseObject, names: HeaderName[]): void {
  const shared = names.map((name) => [name, { $ref: `#/components/headers/${name}` }]);
  response.headers = { ...(Object.fromEntries(shared) as ResponseObject['headers']), ...response.headers };
}
