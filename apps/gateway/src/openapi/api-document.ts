import { Module, type Type } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { DocumentBuilder, SwaggerModule, type OpenAPIObject } from '@nestjs/swagger';
import { completeOperations } from './complete-operations.js';
import { introduction } from './introduction.js';
import { asJsonSchema202012 } from './json-schema.js';
import { sharedResponses } from './shared-responses.js';
import { TAGS } from './tags.js';

/** Of the committed file; a running service names its own address. */
const EXAMPLE_URL = 'http://localhost:3000';

/** Resources of controllers that are named after something else. */
const NOUNS: Record<string, string> = { Sending: 'emails', Ops: 'service', Docs: 'service' };

/**
 * The description of the REST interface (OpenAPI 3.1), from the decorators of controllers and DTOs alone: nothing is
 * started, no setting is read, and the same code gives the same bytes.
 * @throws when a route says too little of itself
 */
export async function apiDocument(controllers: Type[], url = EXAMPLE_URL): Promise<OpenAPIObject> {
  // Without `logger`: that option would silence the service that this runs in.
  const app = await NestFactory.create<NestFastifyApplication>(emptyShell(controllers), new FastifyAdapter(), {
    abortOnError: false,
  });
  try {
    const document = SwaggerModule.createDocument(app, head(url), {
      operationIdFactory: operationId,
      autoTagControllers: false,
    });
    completeOperations(document);
    asJsonSchema202012(document);
    sharedResponses(document);
    return inOrder(document);
  } finally {
    await app.close();
  }
}

function head(url: string): Omit<OpenAPIObject, 'paths'> {
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

/** A module in which every class that a controller asks for is an empty object: controllers are built, never called. */
function emptyShell(controllers: Type[]): Type {
  const asked = controllers.flatMap((one) => [
    ...((Reflect.getMetadata('design:paramtypes', one) ?? []) as unknown[]),
    ...((Reflect.getMetadata('self:paramtypes', one) ?? []) as { param: unknown }[]).map(({ param }) => param),
  ]);
  const providers = [...new Set(asked)].map((provide) => ({ provide: provide as Type, useValue: {} }));
  @Module({ controllers, providers })
  class Shell {}
  return Shell;
}

/** `WebhookEventsController.list` → `webhookEventsList`; clients are generated with these names. */
function operationId(controller: string, method: string): string {
  const noun = controller.replace(/Controller$/, '');
  return (NOUNS[noun] ?? noun[0].toLowerCase() + noun.slice(1)) + method[0].toUpperCase() + method.slice(1);
}

/** Paths and components by name; what has an order of its own (tags, fields, parameters) keeps it. */
function inOrder({ openapi, info, servers, security, tags, paths, components = {} }: OpenAPIObject): OpenAPIObject {
  const sorted = Object.entries(components)
    .map(([room, entries]) => [room, byName(entries as Record<string, unknown>)] as const)
    .filter(([, entries]) => Object.keys(entries).length > 0);
  return {
    openapi,
    info,
    servers,
    security,
    tags,
    paths: byName(paths),
    components: byName(Object.fromEntries(sorted)) as OpenAPIObject['components'],
  };
}

function byName<T>(entries: Record<string, T>): Record<string, T> {
  return Object.fromEntries(Object.entries(entries).sort(([a], [b]) => (a < b ? -1 : 1)));
}
