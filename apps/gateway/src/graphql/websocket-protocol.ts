import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import { GraphQLSchemaHost } from '@nestjs/graphql';
import { isNarrowed, RateLimit, type Principal } from '#libs/accounts';
import { Refusal } from '#libs/contracts';
import { Config } from '#libs/kernel';
import {
  createSourceEventStream,
  getOperationAST,
  GraphQLError,
  type ExecutionArgs,
  type ExecutionResult,
} from 'graphql';
import { makeServer, type Context, type Server, type SubscribePayload } from 'graphql-ws';
import type { WebSocket } from 'ws';
import { ConnectionGuard } from '../http/connection-guard.js';
import { GraphqlCaller, type GraphqlContext } from './graphql-caller.js';
import { GraphqlErrors } from './graphql-errors.js';
import { AdmissionQueue } from './live/admission-queue.js';
import { SharedFrames } from './live/live-frames.js';
import { LiveOperation, type LiveSocket } from './live/live-socket.js';
import { LiveStream } from './live/live-stream.js';
import { TOO_MANY } from './message-intake.js';
import { PersistedOperations } from './checks/persisted-operations.js';
import { SocketAuthentication } from './checks/socket-authentication.js';
import { QueryGuard } from './checks/query-guard.js';
import { whileUnavailable } from './live/while-unavailable.js';

/** One connection. The authentication and the principal are set after `connection_init`. */
export interface Session {
  socket: WebSocket;
  request: IncomingMessage;
  /** Set before the first message. */
  live?: LiveSocket;
  /** Looks the key or the session of the dashboard up again. */
  authenticate?: () => Promise<Principal>;
  principal?: Principal;
  /** The account in whose connections this one is counted. */
  slotOf?: string;
  /** Operations that wait in line. */
  waiting?: number;
  /** The connection has been closed: it must not reserve anything any more. */
  closed?: boolean;
}
type SessionContext = Context<Record<string, unknown> | undefined, Session>;

const INIT_MS = 3_000;
export const FORBIDDEN = 4403;

/** Where the results of a subscription go. */
interface Target {
  session: Session;
  id: string;
  /** Identifies the document. */
  document: string;
}

/** graphql-transport-ws with authentication, and with limits for connections and operations. */
@Injectable()
export class WebSocketProtocol {
  private readonly perAccount = new Map<string, number>();
  private readonly socketsPerAccount: number;
  private readonly operationsPerSocket: number;
  private readonly admission = new AdmissionQueue();
  private readonly frames: SharedFrames;
  private readonly targets = new WeakMap<ExecutionArgs, Target>();

  constructor(
    private readonly schemaHost: GraphQLSchemaHost,
    private readonly authentication: SocketAuthentication,
    private readonly rateLimit: RateLimit,
    private readonly errors: GraphqlErrors,
    private readonly guard: QueryGuard,
    private readonly persisted: PersistedOperations,
    private readonly connections: ConnectionGuard,
    config: Config,
  ) {
    const { GRAPHQL_SOCKETS_PER_ACCOUNT, GRAPHQL_OPERATIONS_PER_SOCKET } = config.settings;
    this.socketsPerAccount = GRAPHQL_SOCKETS_PER_ACCOUNT;
    this.operationsPerSocket = GRAPHQL_OPERATIONS_PER_SOCKET;
    this.frames = new SharedFrames((result) => this.formatted(result));
  }

  /** Call after the schema has been built. */
  server(): Server<Session> {
    const schema = this.schemaHost.schema;
    return makeServer<Record<string, unknown> | undefined, Session>({
      schema,
      connectionInitWaitTimeout: INIT_MS,
      onConnect: (context) => this.connect(context),
      onSubscribe: (context, id, payload) => this.subscribed(context, id, payload),
      subscribe: (args) => this.open(args),
      onError: (_context, _id, _payload, errors) =>
        errors.map((error) => this.errors.format(error, 'GRAPHQL_VALIDATION_FAILED')),
      onNext: (_context, _id, _payload, _args, result) => this.formatted(result),
    });
  }

  private formatted(result: ExecutionResult): ExecutionResult {
    if (!result.errors) return result;
    return { ...result, errors: result.errors.map((error) => this.errors.format(error)) as unknown as GraphQLError[] };
  }

  /** False closes with 4403. An unavailable database is not a refusal: its error is thrown and closes with 4500. */
  private async connect({ connectionParams, extra }: SessionContext): Promise<boolean> {
    try {
      const { principal, authenticate } = await whileUnavailable(() =>
        this.authentication.authenticate(connectionParams, extra.request),
      );
      if (extra.closed) return false;
      if (!this.reserve(extra, principal.accountId)) {
        extra.socket.close(TOO_MANY, `At most ${this.socketsPerAccount} connections per account`);
        return false;
      }
      extra.authenticate = authenticate;
      extra.principal = principal;
      this.connections.authenticated(extra.request);
      return true;
    } catch (error) {
      if (!(error instanceof Refusal) || error.code === 'service_unavailable') throw error;
      if (error.code === 'session_refused') extra.socket.close(FORBIDDEN, error.message);
      return false;
    }
  }

  /**
   * Authorizes an open connection again, with the current permissions of its key or session.
   * @throws Refusal when the connection may not be held any more: the key or the session was ended, belongs to another account,
   * or lost a scope, a domain or the live mode, on which a running operation may rely
   */
  async reauthorize(session: Session): Promise<void> {
    const { authenticate, principal } = session;
    if (authenticate === undefined || principal === undefined) return;
    const current = await authenticate();
    if (isNarrowed(principal, current)) throw new Refusal('restricted_api_key');
    session.principal = current;
  }

  private reserve(session: Session, accountId: string): boolean {
    const open = this.perAccount.get(accountId) ?? 0;
    if (open >= this.socketsPerAccount) return false;
    this.perAccount.set(accountId, open + 1);
    session.slotOf = accountId;
    return true;
  }

  /** Call once, when the connection is closed; its key may still be being looked up then. */
  release(session: Session): void {
    session.closed = true;
    const { slotOf } = session;
    if (slotOf === undefined) return;
    delete session.slotOf;
    const left = (this.perAccount.get(slotOf) ?? 1) - 1;
    if (left > 0) this.perAccount.set(slotOf, left);
    else this.perAccount.delete(slotOf);
  }

  /** Prepares an operation and remembers where the results of a subscription go. */
  private async subscribed(
    context: SessionContext,
    id: string,
    payload: SubscribePayload,
  ): Promise<ExecutionArgs | GraphQLError[]> {
    const session = context.extra;
    // An operation that the client has completed still waits in line.
    const open = Math.max(Object.keys(context.subscriptions).length, (session.waiting ?? 0) + 1);
    if (open > this.operationsPerSocket) {
      session.socket.close(TOO_MANY, `At most ${this.operationsPerSocket} operations per connection`);
      return [new GraphQLError('Too many operations.')];
    }
    await this.waitInLine(session);
    const args = this.prepare(session.principal, payload);
    if (Array.isArray(args) || !isSubscriptionOf(args)) return (await this.refusedByRate(session)) ?? args;
    this.targets.set(args, { session, id, document: JSON.stringify({ ...payload, variables: undefined }) });
    return args;
  }

  private async waitInLine(session: Session): Promise<void> {
    if (session.principal === undefined) return;
    session.waiting = (session.waiting ?? 0) + 1;
    await this.admission.admitted(session.principal.accountId, () => session.closed === true);
    session.waiting -= 1;
  }

  /** Applies the same limits as over HTTP, because graphql-ws has none. */
  private prepare(principal: Principal | undefined, payload: SubscribePayload): ExecutionArgs | GraphQLError[] {
    try {
      const schema = this.schemaHost.schema;
      const document = this.guard.parsed(schema, this.persisted.queryOf(payload, principal), payload);
      if (!('kind' in document)) return [...document];
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

  /** Subscriptions are not counted: a dashboard that reconnects must not use up the requests of its account. */
  private async refusedByRate({ principal }: Session): Promise<GraphQLError[] | null> {
    if (principal === undefined || (await this.rateLimit.take(principal.accountId)).allowed) return null;
    const refusal = new Refusal('rate_limit_exceeded');
    return [new GraphQLError(refusal.message, { originalError: refusal })];
  }

  /** Opens the source of a subscription and connects it to the socket. */
  private async open(args: ExecutionArgs): Promise<ExecutionResult | AsyncIterable<never>> {
    const target = this.targets.get(args);
    const source = await createSourceEventStream(args);
    if (!(source instanceof LiveStream)) {
      if (Symbol.asyncIterator in source) throw new Error('A subscription must return a LiveStream');
      return source;
    }
    const { live, principal } = target?.session ?? {};
    if (target === undefined || live === undefined || principal === undefined)
      throw new Error('A subscription needs an authenticated connection');
    const shared = this.frames.acquire(args, { document: target.document, reach: reachOf(principal) });
    return new LiveOperation(target.id, source, { socket: live, shared });
  }
}

const isSubscriptionOf = ({ document, operationName }: ExecutionArgs): boolean =>
  getOperationAST(document, operationName)?.operation === 'subscription';

/** Keys with the same text see the same. */
const reachOf = ({ accountId, mode, scopes, domainIds }: Principal): string =>
  JSON.stringify([accountId, mode, [...scopes].sort(), domainIds && [...domainIds].sort()]);
