import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { NestFactory } from '@nestjs/core';
import { FastifyAdapter, type NestFastifyApplication } from '@nestjs/platform-fastify';
import { Allowances, RequestLog } from '#libs/accounts';
import { LIMITS } from '#libs/contracts';
import { Config, Log, readTlsFiles, Shutdown, trustedProxies } from '#libs/kernel';
import type { FastifyError, FastifyReply, FastifyRequest } from 'fastify';
import { GraphqlSockets } from './graphql/graphql-sockets.js';
import { answerClientError, newRequestId } from './http/client-error.js';
import { answerFor } from './http/error-body.js';
import { ErrorFilter } from './http/error-filter.js';
import { readBodies } from './http/request-body.js';
import { RequestGate, requireHost } from './http/request-gate.js';
import { logRequests } from './http/request-log.js';
import { commonHeaders } from './http/response-headers.js';
import { requireDeclaredAccess } from './http/route-access.js';
import { routedUrl } from './http/target-url.js';
import { ignoredFieldsOf } from './rest/declared-fields.js';
import { resendHostUrl } from './rest/resend/resend-host.js';

const HEADERS_MS = 10_000;
/** A bound for everything; a body has its own, nearer deadline. */
const REQUEST_MS = 600_000;
const IDLE_MS = 65_000;
const SWEEP_MS = 5_000;

type RootModule = Parameters<typeof NestFactory.create>[0];

/** Nest would add its own body parsers at start; ours replaces them. */
class GatewayAdapter extends FastifyAdapter {
  override registerParserMiddleware(): void {
    // Nothing: `readBodies` registers the only parser.
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
    // Node would answer with nothing in it; `requireHost` does in our shape.
    requireHostHeader: false,
  };
  const tls = readTlsFiles(config, 'HTTP_TLS');
  return new GatewayAdapter({
    ...(tls === null ? { http: node } : { https: { ...node, ...tls } }),
    bodyLimit: LIMITS.requestBytes,
    requestTimeout: REQUEST_MS,
    keepAliveTimeout: IDLE_MS,
    forceCloseConnections: 'idle',
    trustProxy: TRUST_PROXY === 'off' ? false : trustedProxies(TRUST_PROXY),
    genReqId: newRequestId,
    rewriteUrl: ({ url, headers }: IncomingMessage) => resendHostUrl(routedUrl(url ?? '/'), headers.host, RESEND_HOST),
    routerOptions: { maxParamLength: 1024 },
    clientErrorHandler: answerClientError(common),
    // A path that cannot be decoded is refused by the router, before any hook.
    frameworkErrors: (error: FastifyError, request: FastifyRequest, reply: FastifyReply) => {
      const { body, headers } = answerFor(error, request.id);
      void reply
        .status(body.statusCode)
        .headers({ ...common, 'x-request-id': request.id, ...headers })
        .send(body);
    },
  });
}

/** Hooks, filter, body parser and WebSocket door; before the application is initialised. */
export function configureGateway(app: NestFastifyApplication): void {
  const fastify = app.getHttpAdapter().getInstance();
  const gate = app.get(RequestGate);
  const common = commonHeaders(app.get(Config));
  app.useGlobalFilters(new ErrorFilter(app.get(Log), app.get(Allowances)));
  fastify.decorateRequest('principal', null);
  fastify.decorateRequest('bodyHash', null);
  fastify.addHook('onRoute', (route) => {
    requireDeclaredAccess(route);
    gate.routes.add(route);
  });
  fastify.addHook('onRequest', async (request, reply) => {
    void reply.headers(common).header('x-request-id', request.id);
    requireHost(request);
    await gate.admit(request, reply);
  });
  logRequests(fastify, app.get(RequestLog));
  readBodies(fastify);
  fastify.addHook('onSend', (request, reply, payload, done) => {
    const ignored = ignoredFieldsOf(request.body, request.query);
    if (ignored !== undefined) void reply.header('x-ignored-fields', ignored);
    done(null, payload);
  });
  const server = app.getHttpServer();
  answerExpectations(server);
  app.get(GraphqlSockets).attach(server);
  app.get(Shutdown).on('intake', 'http', () => app.getHttpAdapter().close());
}

/** Node would invite the body at once; here the gate looks at the headers first. */
function answerExpectations(server: Server): void {
  server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
    server.emit('request', request, response);
  });
}

/** The gateway's application on its port; for the `create` of a program that has HTTP. */
export async function startHttpApplication(root: RootModule, config: Config): Promise<NestFastifyApplication> {
  const app = await NestFactory.create<NestFastifyApplication>(root, createGatewayAdapter(config), {
    abortOnError: false,
  });
  configureGateway(app);
  await app.listen(config.settings.HTTP_PORT, config.settings.HTTP_HOST);
  return app;
}
