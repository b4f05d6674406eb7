import { readFileSync } from 'node:fs';
import { OPERATOR_SCOPES, type Scope } from '#libs/contracts';

export interface Schema {
  $ref?: string;
  type?: string | string[];
  enum?: unknown[];
  const?: unknown;
  format?: string;
  required?: string[];
  examples?: unknown[];
  properties?: Record<string, Schema>;
  items?: Schema;
  oneOf?: Schema[];
  anyOf?: Schema[];
  allOf?: Schema[];
}
interface Content {
  content?: Record<string, { schema?: Schema; examples?: Record<string, { value: unknown }> }>;
}
interface ParameterObject {
  name: string;
  in: string;
  example?: unknown;
  schema?: Schema;
}
interface OperationObject {
  parameters?: ParameterObject[];
  requestBody?: Content;
  responses: Record<string, Content>;
  'x-required-scope'?: Scope;
}
interface Document {
  paths: Record<string, Record<string, OperationObject>>;
  components: { schemas: Record<string, Schema> };
}

/** One operation of `openapi.json`. */
export interface ApiOperation {
  /** `GET /emails/{id}`. */
  name: string;
  method: string;
  path: string;
  /** Null where no key is needed. */
  scope: Scope | null;
  /** Where the caller names a thing: `path:id`, `query:email_id`, `query:after`, `body:domain_ids`. */
  spots: string[];
  /** Names of all query parameters. */
  query: string[];
  /** Of the parameters, by place: `path:id`, `query:domain`, `header:Idempotency-Key`. */
  examples: Record<string, unknown[]>;
  body: Schema | null;
  /** It has a body, of whatever media type. */
  takesBody: boolean;
  /** Complete bodies, by media type. */
  bodyExamples: { type: string; name: string; value: unknown }[];
  /** Of the answer when it succeeds as JSON. */
  answer: Schema | null;
}

/** `content_id` names a part inside the mail itself. */
const NAMES_A_THING = /(^|_)(?<!^content_)ids?$|^(after|before|domain)$/;
const NAMES_A_SUPPRESSION = /(^|_)(ids?|emails?)$|^(after|before)$/;

const document = JSON.parse(readFileSync(new URL('../../../openapi.json', import.meta.url), 'utf8')) as Document;

/** Everything that the committed `openapi.json` describes. */
export const API_OPERATIONS: ApiOperation[] = Object.entries(document.paths).flatMap(([path, item]) =>
  Object.entries(item).map(([method, operation]) => read(path, method, operation)),
);

/** Those that a key of any account may have the scope for. */
export const TENANT_OPERATIONS = API_OPERATIONS.filter(({ scope }) => scope === null || !OPERATOR_SCOPES.has(scope));

function read(path: string, method: string, operation: OperationObject): ApiOperation {
  const names = path.startsWith('/suppressions') ? NAMES_A_SUPPRESSION : NAMES_A_THING;
  const body = jsonOf(operation.requestBody);
  const success = Object.entries(operation.responses).find(([status]) => Number(status) < 300)?.[1];
  const parameters = (operation.parameters ?? []).filter(
    (parameter) => parameter.in === 'path' || (parameter.in === 'query' && names.test(parameter.name)),
  );
  const fields = [...fieldsOf(body)].filter((field) => names.test(field.replace(/.*\./, '')));
  return {
    name: `${method.toUpperCase()} ${path}`,
    method: method.toUpperCase(),
    path,
    scope: operation['x-required-scope'] ?? null,
    spots: [...parameters.map((one) => `${one.in}:${one.name}`), ...fields.map((field) => `body:${field}`)],
    query: (operation.parameters ?? []).filter((one) => one.in === 'query').map(({ name }) => name),
    examples: Object.fromEntries((operation.parameters ?? []).map((one) => [`${one.in}:${one.name}`, examplesOf(one)])),
    body,
    takesBody: operation.requestBody !== undefined,
    bodyExamples: Object.entries(operation.requestBody?.content ?? {}).flatMap(([type, { examples = {} }]) =>
      Object.entries(examples).map(([name, { value }]) => ({ type, name, value })),
    ),
    answer: jsonOf(success),
  };
}

function examplesOf({ example, schema }: ParameterObject): unknown[] {
  return example === undefined ? (schema?.examples ?? []) : [example];
}

function jsonOf(content: Content | undefined): Schema | null {
  return content?.content?.['application/json']?.schema ?? null;
}

/** The schema behind a reference. */
export function resolved(schema: Schema): Schema {
  return schema.$ref === undefined ? schema : document.components.schemas[schema.$ref.replace(/.*\//, '')];
}

/** The properties of an object, or of the one variant that is an object. */
export function propertiesOf(schema: Schema | null): Record<string, Schema> {
  if (schema === null) return {};
  const { properties, oneOf = [], anyOf = [], allOf = [] } = resolved(schema);
  return Object.assign({}, properties, ...[...oneOf, ...anyOf, ...allOf].map(propertiesOf)) as Record<string, Schema>;
}

/** Names of all fields, those inside lists and objects with their path: `attachments.content_id`. */
function* fieldsOf(schema: Schema | null, prefix = ''): Generator<string> {
  if (schema === null) return;
  const { items, oneOf = [], anyOf = [] } = resolved(schema);
  for (const variant of [...oneOf, ...anyOf, ...(items ? [items] : [])]) yield* fieldsOf(variant, prefix);
  for (const [name, property] of Object.entries(propertiesOf(schema))) {
    yield prefix + name;
    yield* fieldsOf(property, `${prefix}${name}.`);
  }
}
