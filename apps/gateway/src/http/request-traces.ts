import { tracing } from '#libs/kernel';
import type { FastifyInstance, FastifyRequest } from 'fastify';

/** Asked by machines all the time. */
const UNTRACED = new Set(['/healthz', '/readyz', '/metrics']);

/**
 * A span for each request, below the `traceparent` that the client sent (W3C Trace Context). It names the route and no path, because
 * paths contain tokens. While tracing is off, no hook is added.
 */
export function traceRequests(fastify: FastifyInstance): void {
  if (!tracing.isOn) return;
  const spans = new WeakMap<FastifyRequest, ReturnType<typeof tracing.begin>>();
  fastify.addHook('onRequest', (request, _reply, done) => {
    const { url: route = 'unknown' } = request.routeOptions;
    if (UNTRACED.has(route)) return done();
    const { traceparent } = request.headers;
    const span = tracing.begin(`${request.method} ${route}`, {
      kind: 'server',
      parent: typeof traceparent === 'string' ? traceparent : null,
      attributes: { 'http.request.method': request.method, 'http.route': route, 'postloft.request.id': request.id },
    });
    spans.set(request, span);
    done();
  });
  // Again, because events of the body do not belong to the context of the request.
  fastify.addHook('preHandler', (request, _reply, done) => {
    const span = spans.get(request);
    if (span === undefined) done();
    else span.within(done);
  });
  fastify.addHook('onResponse', (request, reply, done) => {
    const span = spans.get(request);
    span?.set({ 'http.response.status_code': reply.statusCode });
    if (reply.statusCode >= 500) span?.fail(`status ${reply.statusCode}`);
    span?.end();
    done();
  });
}
