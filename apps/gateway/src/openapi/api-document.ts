import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { completeOperations } from './complete-operations.js';
import { introduction } from './introduction.js';
import { toJsonSchema202012 } from './json-schema.js';
import { addLinks } from './links.js';
import { sharedResponses } from './shared-responses.js';
import { TAGS } from './operation.js';
import { addWebhooks } from './webhooks.js';

/** The server URL in the committed `openapi.json`; a running service has its own. */
const EXAMPLE_URL = 'http://localhost:3000';

/** Nouns of operation ids for controllers with other names. */
const NOUNS: Record<string, string> = { Sending: 'emails', Ops: 'service', Docs: 'service' };

/**
 * The OpenAPI 3.1 document of the REST API, from the decorators of controllers and DTOs alone: it starts nothing, reads no
 * settings, and is deterministic.
 * @throws Error when the decorators of a route are incomplete
 */
export async function apiDocument(controllers: Type[], url = EXAMPLE_URL): Promise<OpenAPIObject> {
  // The `logger` option is not used, because it would also silence the service that this runs in.
  const app = await NestFactory.create<NestFastifyApplication>(moduleWithStubs(controllers), new FastifyAdapter(), {
    abortOnError: false,
  });
  try {
    const document = SwaggerModule.createDocument(app, baseDocument(url), {
      operationIdFactory: operationId,
      autoTagControllers: false,
    });
    completeOperations(document);
    addLinks(document);
    addWebhooks(document);
    toJsonSchema202012(document);
    sharedResponses(document);
    return inNameOrder(document);
  } finally {
    await app.close();
  }
}

function baseDocument(url: string): Omit<OpenAPIObject, 'paths'> {
  const builder = new DocumentBuilder()
    .setOpenAPIVersion('3.1.0')
    .setTitle('Postloft')
    .setVersion('1')
    .setLicense('MIT', 'https://opensource.org/license/mit')
    .setDescription(introduction(url))
    .addServer(url, 'This service; every path also works under /v1')
    .addBearerAuth({ type: 'http', scheme: 'bearer', description: 'An API key, such as `pl_live_…`' }, 'bearerAuth')
    .addSecurityRequirements('bearerAuth');
  for (const [name, description] of Object.entries(TAGS)) builder.addTag(name, description);
  const { contact: _none, ...info } = builder.build().info;
  return { ...builder.build(), info };
}

/** A module that injects an empty object for every dependency of the controllers, which are built but never called. */
function moduleWithStubs(controllers: Type[]): Type {
  const dependencies = controllers.flatMap((one) => [
    ...((Reflect.getMetadata('design:paramtypes', one) ?? []) as unknown[]),
    ...((Reflect.getMetadata('self:paramtypes', one) ?? []) as { param: unknown }[]).map(({ param }) => param),
  ]);
  const providers = [...new Set(dependencies)].map((provide) => ({ provide: provide as Type, useValue: {} }));
  @Module({ controllers, providers })
  class Shell {}
  return Shell;
}

/** `WebhookEventsController.list` → `webhookEventsList`; generated clients use these names. */
function operationId(controller: string, method: string): string {
  const noun = controller.replace(/Controller$/, '');
  return (NOUNS[noun] ?? noun[0].toLowerCase() + noun.slice(1)) + method[0].toUpperCase() + method.slice(1);
}

/** Sorts paths and components by name; tags, fields and parameters keep their order. */
function inNameOrder(document: OpenAPIObject): OpenAPIObject {
  const { openapi, info, servers, security, tags, paths, components = {} } = document;
  const { webhooks = {} } = document as { webhooks?: Record<string, unknown> };
  const sorted = Object.entries(components)
    .map(([kind, entries]) => [kind, byName(entries as Record<string, unknown>)] as const)
    .filter(([, entries]) => Object.keys(entries).length > 0);
  return {
    openapi,
    info,
    servers,
    security,
    tags,
    paths: byName(paths),
    webhooks: byName(webhooks),
    components: byName(Object.fromEntries(sorted)) as OpenAPIObject['components'],
  } as OpenAPIObject;
}

function byName<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}

/** The JSON text of `GET /openapi.json`, created once when the program starts. */
export class ApiDescription {
  private constructor(readonly json: string) {}

  /** @param publicUrl base URL of this service for its clients */
  static async of(controllers: Type[], publicUrl: string): Promise<ApiDescription> {
    return new ApiDescription(JSON.stringify(await apiDocument(controllers, publicUrl)));
  }
}
