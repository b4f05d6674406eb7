import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { ApiKeys, assertAddress, assertStanding, RateLimit, type Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Config, trustedProxies, type TrustsProxy } from '#libs/kernel';
import { GraphQLError, parse, specifiedRules, validate, type ExecutionArgs } from 'graphql';
import { makeServer, type Context, type Server, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { bearerToken } from '../http/bearer-token.js';
import { clientAddress } from '../http/client-address.js';
import { GraphqlCaller, type GraphqlContext } from './graphql-caller.js';
import { GraphqlErrors } from './graphql-errors.js';
import { QUERY_LIMITS, QUERY_RULES } from './query-limits.js';

/** One socket: its key and principal are known once `connection_init` was accepted. */
export interface SocketSession {
  socket: WebSocket;
  request: IncomingMessage;
  token?: string;
  principal?: Principal;
}
type SocketContext = Context<Record<string, unknown> | undefined, SocketSession>;

export const SOCKET_LIMITS = { operations: 20, perAccount: 50, initMs: 3_000 };
const TOO_MANY = 4429;

/** graphql-transport-ws with our rules: who may connect, and what an operation may ask. */
@Injectable()
export class GraphqlProtocol {
  private readonly perAccount = new Map<string, number>();
  private readonly trustsProxy: TrustsProxy;

  constructor(
    private readonly schemaHost: GraphQLSchemaHost,
    private readonly apiKeys: ApiKeys,
    private readonly rateLimit: RateLimit,
    private readonly errors: GraphqlErrors,
    config: Config,
  ) {
    this.trustsProxy = trustedProxies(config.settings.TRUST_PROXY);
  }

  /** Call once the schema exists. */
  server(): Server<SocketSession> {
    const schema = this.schemaHost.schema;
    return makeServer<Record<string, unknown> | undefined, SocketSession>({
      schema,
      connectionInitWaitTimeout: SOCKET_LIMITS.initMs,
      onConnect: (context) => this.connect(context),
      onClose: (context) => this.release(context.extra),
      onSubscribe: (context, _id, payload) => this.prepare(context, payload),
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => this.errors.present(error, 'GRAPHQL_VALIDATION_FAILED')),
      onNext: (_context, _id, _payload, _args, result) => ({
        ...result,
        ...(result.errors ? { errors: result.errors.map((error) => this.errors.present(error)) } : {}),
      }),
    });
  }

  /** False closes with 4403. A store that is down is no refusal: it is thrown, and closes with 4500. */
  private async connect({ connectionParams, extra }: SocketContext): Promise<boolean> {
    try {
      const token = bearerToken(connectionParams?.['Authorization'] ?? connectionParams?.['authorization']);
      const principal = await this.admitted(token, extra.request);
      if (!this.reserve(principal.accountId)) return false;
      extra.token = token;
      extra.principal = principal;
      return true;
    } catch (error) {
      if (error instanceof Refusal) return false;
      throw error;
    }
  }

  /** @throws Refusal when the key may not, or no longer, hold a stream open from there. */
  async admitted(token: string, request: IncomingMessage): Promise<Principal> {
    const principal = await this.apiKeys.authenticate(token);
    assertAddress(principal, clientAddress(request, this.trustsProxy));
    assertStanding(principal);
    return principal;
  }

  private reserve(accountId: string): boolean {
    const open = this.perAccount.get(accountId) ?? 0;
    if (open >= SOCKET_LIMITS.perAccount) return false;
    this.perAccount.set(accountId, open + 1);
    return true;
  }

  private release({ principal }: SocketSession): void {
    if (!principal) return;
    const left = (this.perAccount.get(principal.accountId) ?? 1) - 1;
    if (left > 0) this.perAccount.set(principal.accountId, left);
    else this.perAccount.delete(principal.accountId);
  }

  /** The same bounds as over HTTP; graphql-ws itself sets none. */
  private async prepare(context: SocketContext, payload: SubscribePayload): Promise<ExecutionArgs | GraphQLError[]> {
    const { socket, principal } = context.extra;
    if (Object.keys(context.subscriptions).length > SOCKET_LIMITS.operations) {
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
