import 'reflect-metadata';
import { Logger } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { GraphQLSchemaBuilderModule, GraphQLSchemaFactory } from '@nestjs/graphql';
import { lexicographicSortSchema, printSchema } from 'graphql';
import { RESOLVERS } from './graphql/graphql-api.module.js';
import { renderDashboardConstants } from './dashboard/dashboard-constants.js';
import { renderOperationsTable } from './graphql/operations-table.js';
import { apiDocument } from './openapi/api-document.js';
import { CONTROLLERS } from './controllers.js';

export { renderDashboardConstants };

const HEADER = '# Generated from apps/gateway/src/graphql by tools/generate.mjs. Do not edit.\n\n';

/** The text of `schema.gql`, from the decorators alone: without database and settings. */
export async function renderSchema(): Promise<string> {
  const app = await NestFactory.createApplicationContext(GraphQLSchemaBuilderModule, { logger: false });
  try {
    const schema = await app.get(GraphQLSchemaFactory).create(RESOLVERS);
    return `${HEADER}${printSchema(lexicographicSortSchema(schema))}\n`;
  } finally {
    await app.close();
  }
}

/** The text of `docs/graphql-operations.md`. */
export async function renderGraphqlOperations(): Promise<string> {
  return renderOperationsTable(await apiDocument(CONTROLLERS), RESOLVERS);
}

/** The text of `openapi.json`, from the decorators alone. */
export async function renderOpenApi(): Promise<string> {
  Logger.overrideLogger(['error', 'warn']);
  return `${JSON.stringify(await apiDocument(CONTROLLERS), null, 2)}\n`;
}
