import { readFileSync } from 'node:fs';
import { Injectable } from '@nestjs/common';
import { Refusal } from '#libs/contracts';
import { Config, ConfigError } from '#libs/kernel';
import { GraphQLError } from 'graphql';

interface Named {
  query?: unknown;
  documentId?: unknown;
}

/** Documents that clients name by an id instead of sending their text, over HTTP and WebSocket alike. */
@Injectable()
export class PersistedOperations {
  private readonly documents: ReadonlyMap<string, string>;

  constructor({ settings }: Config) {
    const file = settings.GRAPHQL_PERSISTED_OPERATIONS;
    this.documents = file === undefined ? new Map<string, string>() : documentsOf(file);
  }

  /**
   * The text of the document that a request names by `documentId`, or sends as `query`.
   * @throws GraphQLError whose cause is a refusal, for an unknown id, or for an id together with a text
   */
  queryOf({ query, documentId }: Named): string {
    const text = typeof query === 'string' ? query : '';
    if (documentId === undefined || documentId === null) return text;
    if (text !== '') throw refused('exclusive', 'must not be given together with query');
    const document = typeof documentId === 'string' ? this.documents.get(documentId) : undefined;
    if (document === undefined) throw refused('unknown_document', 'must be the id of a persisted operation');
    return document;
  }
}

function refused(code: string, message: string): GraphQLError {
  const refusal = new Refusal('validation_error', [{ field: 'documentId', code, message }], `documentId ${message}.`);
  return new GraphQLError(refusal.message, { originalError: refusal });
}

/** The file has a JSON object of ids and documents. @throws ConfigError */
function documentsOf(file: string): ReadonlyMap<string, string> {
  const problem = (text: string) => new ConfigError(`GRAPHQL_PERSISTED_OPERATIONS: ${file} ${text}.`);
  let value: unknown;
  try {
    value = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw problem(`cannot be read: ${(error as Error).message}`);
  }
  const entries = typeof value === 'object' && value !== null && !Array.isArray(value) ? Object.entries(value) : [];
  if (entries.length === 0 || entries.some(([, document]) => typeof document !== 'string'))
    throw problem('must have a JSON object of ids and documents');
  return new Map(entries as [string, string][]);
}
