import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { ApiKeys, assertAddress, assertStanding, isNarrowed, RateLimit, type Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Config, trustedProxies, type ProxyCheck } from '#libs/kernel';
import { GraphQLError, parse, specifiedRules, validate, type ExecutionArgs } from 'graphql';
import { makeServer, type Context, type Server, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { bearerToken, clientAddress } from '../http/caller.js';
import { KeyAttempts } from '../http/key-attempts.js';
import { ACCOUNT_HEADER, SessionAccess } from '../session/session-access.js';
import { GraphqlCaller, type GraphqlContext } from './graphql-caller.js';
import { GraphqlErrors } from './graphql-errors.js';
import { QUERY_LIMITS, QUERY_RULES } from './query-limits.js';

/** One connection. The authentication and the principal are set after `connection_init`. */
export interface Session {
  socket: WebSocket;
  request: IncomingMessage;
  /** Looks the key or the session of the dashboard up again. */
  authenticate?: () => Promise<Principal>;
  principal?: Principal;
  /** The connection has been closed: it must not reserve anything any more. */
  closed?: boolean;
}
type SessionContext = Context<Record<string, unknown> | undefined, Session>;

export const CONNECTION_LIMITS = { operations: 20, perAccount: 50, initMs: 3_000 };
const TOO_MANY = 4429;

/** graphql-transport-ws with authentication, and with limits for connections and operations. */
@Injectable()
export class WebSocketProtocol {
  private readonly perAccount = new Map<string, number>();
  private readonly trustsProxy: ProxyCheck;

  constructor(
    private readonly schemaHost: GraphQLSchemaHost,
    private readonly apiKeys: ApiKeys,
    private readonly keyAttempts: KeyAttempts,
    private readonly sessionAccess: SessionAccess,
    private readonly rateLimit: RateLimit,
    private readonly errors: GraphqlErrors,
    config: Config,
  ) {
    this.trustsProxy = trustedProxies(config.settings.TRUST_PROXY);
  }

  /** Call after the schema has been built. */
  server(): Server<Session> {
    const schema = this.schemaHost.schema;
    return makeServer<Record<string, unknown> | undefined, Session>({
      schema,
      connectionInitWaitTimeout: CONNECTION_LIMITS.initMs,
      onConnect: (context) => this.connect(context),
      onSubscribe: (context, _id, payload) => this.prepare(context, payload),
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => this.errors.format(error, 'GRAPHQL_VALIDATION_FAILED')),
      onNext: (_context, _id, _payload, _args, result) => ({
        ...result,
        ...(result.errors ? { errors: result.errors.map((error) => this.errors.format(error)) } : {}),
      }),
    });
  }

  /** False closes with 4403. An unavailable database is not a refusal: its error is thrown and closes with 4500. */
  private async connect({ connectionParams, extra }: SessionContext): Promise<boolean> {
    try {
      const address = clientAddress(extra.request, this.trustsProxy);
      const { principal: found, authenticate } = await this.authenticate(connectionParams, extra.request);
      const principal = admitted(found, address);
      if (extra.closed || !this.reserve(principal.accountId)) return false;
      extra.authenticate = authenticate;
      extra.principal = principal;
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  /** A key in `connection_init` is used instead of a session cookie of the upgrade. */
  private async authenticate(
    params: Record<string, unknown> | undefined,
    request: IncomingMessage,
  ): Promise<{ principal: Principal; authenticate: () => Promise<Principal> }> {
    const authorization = params?.['Authorization'] ?? params?.['authorization'];
    const cookie = authorization === undefined ? this.sessionAccess.tokenOf(request) : null;
    if (cookie !== null) {
      const authenticate = () => this.sessionAccess.principalOf(cookie, params?.[ACCOUNT_HEADER]);
      return { principal: await authenticate(), authenticate };
    }
    const token = bearerToken(authorization);
    const principal = await this.keyAttempts.authenticate(token, clientAddress(request, this.trustsProxy));
    return { principal, authenticate: () => this.apiKeys.authenticate(token) };
  }

  /**
   * Authorizes an open connection again, with the current permissions of its key or session.
   * @throws Refusal when the connection may not be held any more: the key or the session was ended, or lost a scope, a domain
   * or the live mode, on which a running operation may rely
   */
  async reauthorize(session: Session): Promise<void> {
    const { authenticate, principal, request } = session;
    if (authenticate === undefined || principal === undefined) return;
    const current = admitted(await authenticate(), clientAddress(request, this.trustsProxy));
    if (isNarrowed(principal, current)) throw new Refusal('restricted_api_key');
    session.principal = current;
  }

  private reserve(accountId: string): boolean {
    const open = this.perAccount.get(accountId) ?? 0;
    if (open >= CONNECTION_LIMITS.perAccount) return false;
    this.perAccount.set(accountId, open + 1);
    return true;
  }

  /** Call once, when the connection is closed; its key may still be being looked up then. */
  release(session: Session): void {
    session.closed = true;
    const { principal } = session;
    if (!principal) return;
    const left = (this.perAccount.get(principal.accountId) ?? 1) - 1;
    if (left > 0) this.perAccount.set(principal.accountId, left);
    else this.perAccount.delete(principal.accountId);
  }

  /** Applies the same limits as over HTTP, because graphql-ws has none. */
  private async prepare(context: SessionContext, payload: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]> {
    const { socket, principal } = context.extra;
    if (Object.keys(context.subscriptions).length > CONNECTION_LIMITS.operations) {
      socket.close(TOO_MANY, 'Too many operations');
      return [new GraphQLError('Too many operations.')];
    }
    try {
      await this.countRequest(principal);
      const document = parse(payload.query, { maxTokens: QUERY_LIMITS.tokens });
      const schema = this.schemaHost.schema;
      const problems = validate(schema, document, [...specifiedRules, ...QUERY_RULES]);
      if (problems.length > 0) return [...problems];
      const contextValue: GraphqlContext = { caller: new GraphqlCaller(principal) };
      return {
        schema,
        document,
        contextValue,
        operationName: payload.operationName,
        variableValues: payload.variables,
      };
    } catch (error) {
      if (error instanceof GraphQLError) return [error];
      throw error;
    }
  }

  private async countRequest(principal: Principal | undefined): Promise<void> {
    if (!principal || (await this.rateLimit.take(principal.accountId)).allowed) return;
    const refusal = new Refusal('rate_limit_exceeded');
    throw new GraphQLError(refusal.message, { originalError: refusal });
  }
}

function admitted(principal: Principal, address: string): Principal {
  assertAddress(principal, address);
  assertStanding(principal);
  return principal;
}
