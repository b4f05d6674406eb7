import { readdirSync, readFileSync } from 'node:fs';
import type { OpenAPIObject } from '@nestjs/swagger';
import { EVENT_TYPES, SCOPES } from '#libs/contracts';
import { beforeAll, describe, expect, it } from 'vitest';
import { CONTROLLERS } from '../controllers.js';
import { apiDocument } from './api-document.js';
import { TAGS } from './operation.js';

/** Names of the ids of each list, as its cursors. */
const CURSOR = /^\^(?:\(\?:latest\|)?([a-z]+)_/;

interface Schema {
  $ref?: string;
  description?: string;
  type?: string | string[];
  properties?: Record<string, Schema>;
  items?: Schema;
  examples?: unknown[];
  [keyword: string]: unknown;
}
interface Operation {
  operationId: string;
  tags: string[];
  summary: string;
  security?: unknown[];
  parameters?: { name: string; in: string; description?: string; example?: unknown; schema: Schema }[];
  requestBody?: { content: Record<string, { schema: Schema }> };
  responses: Record<string, { $ref?: string; description?: string; content?: unknown }>;
  'x-required-scope'?: string;
}

let document: OpenAPIObject;
let operations: [string, Operation][];
beforeAll(async () => {
  document = await apiDocument(CONTROLLERS);
  operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item as Record<string, Operation>).map(([method, operation]): [string, Operation] => [
      `${method.toUpperCase()} ${path}`,
      operation,
    ]),
  );
});

/** All fields of all components. */
const fields = (): [string, Record<string, unknown>][] =>
  [...objectsOf(document.components?.schemas)].filter(([path]) => /\/properties\/[^/]+$/.test(path));

const hasValues = (schema: object) => ['examples', 'enum', 'const', 'default'].some((keyword) => keyword in schema);

/** All objects of a JSON value, with the path of each. */
function* objectsOf(value: unknown, path = '#'): Generator<[string, Record<string, unknown>]> {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) yield [path, value as Record<string, unknown>];
  for (const [key, child] of Object.entries(value)) yield* objectsOf(child, `${path}/${key.replaceAll('/', '~1')}`);
}

describe('apiDocument', () => {
  it('is OpenAPI 3.1 and deterministic', async () => {
    expect(document.openapi).toBe('3.1.0');
    expect(JSON.stringify(await apiDocument(CONTROLLERS))).toBe(JSON.stringify(document));
  });

  it('documents the errors of a body for every operation that can have one', () => {
    const silent = operations
      .filter(([name, { security }]) => !name.startsWith('GET ') && security === undefined)
      .filter(([, { responses }]) => !['400', '415', '422'].every((status) => status in responses));
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  it('has no two classes with the same name, of which one would replace the other', () => {
    const folder = new URL('../rest/', import.meta.url);
    const files = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((file) =>
      /(?<!\.spec)\.ts$/.test(file),
    );
    const names = files.flatMap((file) =>
      [...readFileSync(new URL(file, folder), 'utf8').matchAll(/^(?:export )?(?:class (\w+)|const (\w+): Type)/gm)].map(
        ([, named, built]) => named ?? built,
      ),
    );
    expect(names).toContain('SendEmailDto');
    expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  });

  it('contains the URL of the running service', async () => {
    const { servers, info } = await apiDocument(CONTROLLERS, 'https://api.example.com');
    expect(servers).toMatchObject([{ url: 'https://api.example.com' }]);
    expect(info.description).toContain('curl https://api.example.com/emails');
  });

  it('has a unique id, a known tag, a summary and the access of every operation', () => {
    const ids = operations.map(([, operation]) => operation.operationId);
    expect(ids.filter((id, i) => ids.indexOf(id) !== i)).toEqual([]);
    const incomplete = operations.filter(
      ([, { tags, summary, security, 'x-required-scope': scope }]) =>
        !tags?.every((tag) => tag in TAGS) ||
        !summary ||
        !(security?.length === 0 || (SCOPES as readonly string[]).includes(scope ?? '')),
    );
    expect(incomplete.map(([name]) => name)).toEqual([]);
  });

  it('documents the content of every success and the common errors of every operation', () => {
    const silent = operations.filter(([, { responses, security }]) => {
      const success = Object.entries(responses).filter(([status]) => Number(status) < 300);
      const common = security?.length === 0 ? ['500'] : ['401', '403', '429', '500', '503'];
      return !success.some(([, { content }]) => content !== undefined) || common.some((status) => !responses[status]);
    });
    expect(silent.map(([name]) => name)).toEqual([]);
  });

  it('describes every parameter', () => {
    const silent = operations.flatMap(([name, { parameters = [] }]) =>
      parameters.filter(({ description }) => !description).map((parameter) => `${name}: ${parameter.name}`),
    );
    expect(silent).toEqual([]);
  });

  it('has an example or all values of every parameter except cursors', () => {
    const bare = operations.flatMap(([name, { parameters = [] }]) =>
      parameters
        .filter((parameter) => !['after', 'before', 'token'].includes(parameter.name))
        .filter(({ schema, example }) => example === undefined && !hasValues(schema))
        .map((parameter) => `${name}: ${parameter.name}`),
    );
    expect(bare).toEqual([]);
  });

  it('describes every field of every request and response', () => {
    const silent = fields().filter(([path, schema]) => !path.includes('/not/') && !schema['description']);
    expect(fields().length).toBeGreaterThan(300);
    expect(silent.map(([path]) => path)).toEqual([]);
  });

  it('has an example or all values of every text and number', () => {
    const plain = fields().filter(([, schema]) =>
      [(schema as Schema).type].flat().some((type) => ['string', 'integer', 'number'].includes(type as string)),
    );
    const bare = plain.filter(([, schema]) => !hasValues(schema));
    // A time in the near future, which no fixed example is for long.
    const times = ['ChangeEmailDto', 'SendEmailDto'].map((name) => `#/${name}/properties/scheduled_at`);
    expect(bare.map(([path]) => path)).toEqual(times);
  });

  it('has no default in a schema, because generators of types then require the field', () => {
    const given = fields().filter(([, schema]) => 'default' in schema);
    expect(given.map(([path]) => path)).toEqual([]);
    const schemas = document.components?.schemas as unknown as Record<string, Schema>;
    const { sandbox, suppression_policy: policy } = schemas['SendEmailDto'].properties ?? {};
    expect([sandbox.description, policy.description]).toEqual([
      expect.stringMatching(/Default: `false`$/),
      expect.stringMatching(/Default: `reject`$/),
    ]);
  });

  it('has no enum with null, which generators for Go do not compile', () => {
    const nullable = [...objectsOf(document)].filter(([, schema]) => [schema['enum']].flat().includes(null));
    expect(nullable.map(([path]) => path)).toEqual([]);
    const schemas = document.components?.schemas as unknown as Record<string, Schema>;
    expect(schemas['ApiKeyDto'].properties?.['permission']).toMatchObject({
      anyOf: [{ type: 'string', enum: ['full_access', 'sending_access'] }, { type: 'null' }],
    });
  });

  it('has patterns for ids, cursors and domain names, which their examples match', () => {
    const isIdLike = (value: unknown) => /^[a-z]{2,4}_[0-9a-f]{32}$/.test(String(value));
    const bare = fields().filter(
      ([, schema]) =>
        isIdLike((schema as Schema).examples?.[0]) && [schema['type']].flat().includes('string') && !schema['pattern'],
    );
    expect(bare.map(([path]) => path)).toEqual([]);
    const parameters = operations.flatMap(([name, operation]) =>
      (operation.parameters ?? []).map((parameter) => ({ ...parameter, operation: name })),
    );
    const unclear = parameters.filter(
      (one) =>
        (['after', 'before'].includes(one.name) || (one.in === 'path' && isIdLike(one.example))) &&
        !one.schema['pattern'],
    );
    expect(unclear.map((one) => `${one.operation}: ${one.name}`)).toEqual([]);
    for (const [path, schema] of fields())
      if (typeof schema['pattern'] === 'string')
        for (const example of (schema as Schema).examples ?? [])
          expect([path, example === null || new RegExp(schema['pattern']).test(example as string)]).toEqual([
            path,
            true,
          ]);
  });

  it('describes the webhook of every event type', () => {
    const { webhooks } = document as unknown as { webhooks: Record<string, { post: Operation }> };
    expect(Object.keys(webhooks)).toEqual([...EVENT_TYPES].filter((type) => type in webhooks).sort());
    for (const [type, { post }] of Object.entries(webhooks)) {
      const { schema } = post.requestBody?.content['application/json'] ?? expect.fail();
      expect(schema.properties?.['type']).toMatchObject({ const: type });
      expect(schema.properties?.['data'].type).toBe('object');
    }
    expect(Object.keys(webhooks)).toContain('email.delivered');
  });

  it('has a type for every field and parameter', () => {
    const typed = ['type', '$ref', 'anyOf', 'oneOf', 'allOf', 'const', 'enum'];
    const untyped = [...objectsOf(document.components?.schemas), ...objectsOf(document.paths)]
      .filter(([path]) => /\/properties\/[^/]+$|\/schema$|\/items$/.test(path) && !path.includes('/not/'))
      .filter(([, schema]) => !typed.some((keyword) => keyword in schema));
    expect(untyped.map(([path]) => path)).toEqual([]);
  });

  it('has no dangling reference', () => {
    const known = new Set([...objectsOf(document)].map(([path]) => path));
    const lost = [...objectsOf(document)].map(([, { $ref }]) => $ref).filter((ref) => typeof ref === 'string');
    expect(lost.filter((ref) => !known.has(ref))).toEqual([]);
  });

  it('has no keyword of OpenAPI 3.0 only', () => {
    const old = [...objectsOf(document.components?.schemas)].filter(
      ([path, schema]) =>
        !path.endsWith('/properties') &&
        ('nullable' in schema ||
          typeof schema['exclusiveMinimum'] === 'boolean' ||
          ('required' in schema && !Array.isArray(schema['required']))),
    );
    expect(old.map(([path]) => path)).toEqual([]);
  });

  it('gives the cursors of every list the kind of id that its entries have', () => {
    const schemas = document.components?.schemas as Record<string, Schema>;
    const nameIn = (schema: Schema | undefined) => String(schema?.$ref?.split('/').at(-1));
    const listOf = ({ responses }: Operation) =>
      (responses['200']?.content as Record<string, { schema: Schema }> | undefined)?.['application/json']?.schema;
    const idIn = (list: string) => {
      const item = nameIn(schemas[list]?.properties?.['data'].items);
      return String(schemas[item]?.properties?.['id'].examples?.[0]).split('_', 1)[0];
    };
    const kinds = operations.flatMap(([name, operation]) => {
      const pattern = operation.parameters?.find((one) => one.name === 'after')?.schema['pattern'];
      const list = nameIn(listOf(operation));
      return typeof pattern !== 'string' || !(list in schemas) ? [] : [[name, CURSOR.exec(pattern)?.[1], idIn(list)]];
    });
    expect(kinds.length).toBeGreaterThan(8);
    for (const [name, cursor, id] of kinds) expect([name, cursor]).toEqual([name, id]);
  });

  it('states which fields exclude each other without unions, which generators of clients turn into types without fields', () => {
    const schemas = document.components?.schemas as Record<string, Schema>;
    const conditional = Object.entries(schemas).filter(([, schema]) => 'not' in schema);
    expect(conditional.map(([name]) => name)).toEqual(
      expect.arrayContaining(['AttachmentDto', 'CreateApiKeyDto', 'ReleaseAllDto', 'SendEmailDto', 'SuppressAllDto']),
    );
    for (const [name, schema] of Object.entries(schemas)) {
      if (schema.properties === undefined) continue;
      expect([name, schema['oneOf'], schema['anyOf']]).toEqual([name, undefined, undefined]);
    }
  });

  it('promises no URI where a webhook returns its URL as given, which may be an IRI', () => {
    const schemas = document.components?.schemas as Record<string, Schema>;
    expect(schemas['WebhookDto'].properties?.['url']).not.toHaveProperty('format');
  });

  it('links each creating operation to the operations on what it created', () => {
    const responses = operations.find(([name]) => name === 'POST /webhooks')?.[1].responses['201'];
    const { links } = responses as { links: Record<string, unknown> };
    expect(links['webhooksFind']).toEqual({ operationId: 'webhooksFind', parameters: { id: '$response.body#/id' } });
    const ids = operations.map(([, { operationId }]) => operationId);
    for (const id of Object.keys(links)) expect(ids).toContain(id);
  });
});
