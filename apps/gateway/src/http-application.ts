import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Allowances, RequestLog } from '#libs/accounts';
import { LIMITS } from '#libs/contracts';
import { Config, Log, tlsFiles, Shutdown, trustedProxies } from '#libs/kernel';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { answerGraphiql } from './dashboard/graphiql.controller.js';
import { prepareGraphqlRequests } from './graphql/checks/http-requests.js';
import { PersistedOperations } from './graphql/checks/persisted-operations.js';
import { QueryGuard } from './graphql/checks/query-guard.js';
import { GraphqlWebSocketServer } from './graphql/websocket-server.js';
import { setClientAddress } from './http/caller.js';
import { answerClientError, newRequestId } from './http/client-error.js';
import { ConnectionGuard } from './http/connection-guard.js';
import { errorResponse } from './http/error-body.js';
import { ChallengeResponses } from './http/challenge-responses.js';
import { openHttps } from './http/https-listener.js';
import { ErrorFilter } from './http/error-filter.js';
import { BodyMemory } from './http/body/body-memory.js';
import { readBodies } from './http/body/request-body.js';
import { RequestGuard, requireSingleFields } from './http/request-guard.js';
import { logRequests } from './http/request-log.js';
import { traceRequests } from './http/request-traces.js';
import { commonHeaders } from './http/response-headers.js';
import { requireDeclaredAccess } from './http/route-access.js';
import { routedUrl } from './http/route-table.js';
import { requireValidParameters } from './rest/validation/parameters.js';
import { LoginLinks } from './session/login-links.js';
import { refuseOnTrackingHost } from './tracking/tracking-host.js';
import { unknownFieldsHeader } from './rest/validation/unknown-fields.js';
import { resendHostUrl } from './resend/resend-route.js';

const HEADERS_MS = 10_000;
/** Upper limit for a whole request; bodies have a shorter one of their own. */
const REQUEST_MS = 600_000;
const IDLE_MS = 65_000;
const SWEEP_MS = 5_000;
/** Without a byte in either direction, for example when the client does not read the response. */
const SILENCE_MS = 120_000;

type RootModule = Parameters<typeof NestFactory.create>[0];

/** Keeps Nest from registering its own body parsers. */
class GatewayAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {
    // `readBodies` registers the only parsers.
  }
}

/** The HTTP server of the gateway, with every limit set explicitly. */
export function createGatewayAdapter(config: Config): FastifyAdapter {
  const { RESEND_HOST, TRUST_PROXY } = config.settings;
  const common = commonHeaders(config);
  const node = {
    maxHeaderSize: 16_384,
    headersTimeout: HEADERS_MS,
    connectionsCheckingInterval: SWEEP_MS,
    // Node would answer with an empty body; `requireSingleFields` answers in the error format of the API.
    requireHostHeader: false,
  };
  const tls = config.settings.HTTPS_PORT === undefined ? tlsFiles.read(config, 'HTTP_TLS') : null;
  return new GatewayAdapter({
    ...(tls === null ? { http: node } : { https: { ...node, ...tls, handshakeTimeout: HEADERS_MS } }),
    bodyLimit: LIMITS.requestBytes,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    connectionTimeout: SILENCE_MS,
    forceCloseConnections: 'idle',
    trustProxy: TRUST_PROXY === 'off' ? false : trustedProxies(TRUST_PROXY),
    genReqId: newRequestId,
    rewriteUrl: ({ url, headers }: IncomingMessage) => resendHostUrl(routedUrl(url ?? '/'), headers.host, RESEND_HOST),
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: answerClientError(common),
    // The router refuses a path that cannot be decoded before any hook runs.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const { body, headers } = errorResponse(error, request.id, request.url);
      void reply
        .status(body.statusCode)
        .headers({ ...common, 'x-request-id': request.id, ...headers })
        .send(body);
    },
  });
}

/** Registers hooks, error filter, body parsers and the WebSocket server. Call before the application is initialised. */
export function configureGateway(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const guard = app.get(RequestGuard);
  const connections = app.get(ConnectionGuard);
  const loginLinks = app.get(LoginLinks);
  const challenges = app.get(ChallengeResponses);
  const common = commonHeaders(app.get(Config));
  const trustsProxy = trustedProxies(app.get(Config).settings.TRUST_PROXY);
  const publicHost = new URL(app.get(Config).settings.PUBLIC_URL).hostname;
  app.useGlobalFilters(new ErrorFilter(app.get(Log), app.get(Allowances)));
  fastify.decorateRequest('principal', null);
  fastify.decorateRequest('viewer', null);
  fastify.decorateRequest('bodyHash', null);
  fastify.decorateRequest('bodyBytes', 0);
  fastify.addHook('onRoute', (route) => {
    requireDeclaredAccess(route);
    guard.routes.add(route);
  });
  fastify.addHook('onRequest', async (request, reply) => {
    setClientAddress(request, trustsProxy);
    void reply.headers(common).header('x-request-id', request.id);
    requireSingleFields(request.raw);
    connections.admitRequest(request, reply);
    if (await challenges.answer(request, reply)) return reply;
    refuseOnTrackingHost(request, publicHost);
    if (await loginLinks.answer(request, reply)) return reply;
    if (await answerGraphiql(request, reply)) return reply;
    await guard.admit(request, reply);
    if (request.principal || request.viewer) connections.authenticated(request.raw);
    requireValidParameters(request);
  });
  traceRequests(fastify);
  logRequests(fastify, app.get(RequestLog));
  readBodies(fastify, app.get(BodyMemory));
  prepareGraphqlRequests(fastify, app.get(QueryGuard), app.get(PersistedOperations));
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const ignored = unknownFieldsHeader(request.body, request.query);
    if (ignored !== undefined) void reply.header('x-ignored-fields', ignored);
    done(null, payload);
  });
  serveOn(app, app.getHttpServer());
  app.get(Shutdown).on('intake', 'http', () => app.getHttpAdapter().close());
}

/** Counts the connections of a server, and handles what does not reach the router. */
export function serveOn(app: NestFastifyApplication, server: Server): void {
  app.get(ConnectionGuard).attach(server);
  deferContinue(server);
  app.get(GraphqlWebSocketServer).attach(server);
}

/** Node would send 100 Continue at once; here the request guard checks the headers first. */
function deferContinue(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** Starts the gateway on its port; the `create` function of programs with HTTP. */
export async function startHttpApplication(root: RootModule, config: Config): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(root, createGatewayAdapter(config), {
    abortOnError: false,
  });
  configureGateway(app);
  await app.listen(config.settings.HTTP_PORT, config.settings.HTTP_HOST);
  await openHttps(app, (server) => serveOn(app, server));
  return app;
}
