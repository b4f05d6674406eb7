import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Injectable } from '@nestjs/common';
import type { Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Config, ConfigError } from '#libs/kernel';
import { GraphQLError } from 'graphql';
import { dashboardFolder } from '../../dashboard/dashboard-files.js';

interface Named {
  query?: unknown;
  documentId?: unknown;
}
type Caller = Pick<Principal, 'session'> | null | undefined;
type Documents = ReadonlyMap<string, string>;

/**
 * Documents that clients name by an id instead of sending their text, over HTTP and WebSocket alike: those of the settings, and
 * those of the dashboard. Sessions send no others, so that a page which runs in the dashboard against the will of its user can
 * ask for nothing that the dashboard does not ask for. Owners are exempt, because GraphiQL sends what they write; no header
 * could tell GraphiQL from such a page.
 */
@Injectable()
export class PersistedOperations {
  private readonly documents: Documents;
  private ofDashboard: Documents | undefined;

  constructor({ settings }: Config) {
    const file = settings.GRAPHQL_PERSISTED_OPERATIONS;
    this.documents = file === undefined ? new Map<string, string>() : documentsOf(file);
  }

  /**
   * The text of the document that a request names by `documentId`, or sends as `query`.
   * @throws GraphQLError whose cause is a refusal, for an unknown id, for an id together with a text, or for a text that the
   * caller may not send
   */
  queryOf({ query, documentId }: Named, caller: Caller): string {
    const text = typeof query === 'string' ? query : '';
    if (documentId === undefined || documentId === null) {
      this.requirePermitted(caller);
      return text;
    }
    if (text !== '') throw invalidId('exclusive', 'must not be given together with query');
    const document = typeof documentId === 'string' ? this.find(documentId) : undefined;
    if (document === undefined) throw invalidId('unknown_document', 'must be the id of a persisted operation');
    return document;
  }

  /** @throws GraphQLError whose cause is a refusal, for a caller who may send persisted operations only */
  requirePermitted(caller: Caller): void {
    if (!caller?.session || caller.session.role === 'owner') return;
    const message = 'must be the id of a persisted operation; only sessions of owners send other operations';
    throw refused(
      new Refusal(
        'session_refused',
        [{ field: 'documentId', code: 'not_persisted', message }],
        'This session may send persisted operations only. Use an API key for others.',
      ),
    );
  }

  private find(id: string): string | undefined {
    const configured = this.documents.get(id);
    if (configured !== undefined) return configured;
    this.ofDashboard ??= documentsOf(join(dashboardFolder(), 'persisted-operations.json'));
    return this.ofDashboard.get(id);
  }
}

function invalidId(code: string, message: string): GraphQLError {
  return refused(new Refusal('validation_error', [{ field: 'documentId', code, message }], `documentId ${message}.`));
}

const refused = (refusal: Refusal): GraphQLError => new GraphQLError(refusal.message, { originalError: refusal });

/** The file has a JSON object of ids and documents. @throws ConfigError */
function documentsOf(file: string): Documents {
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
