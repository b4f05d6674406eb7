import type { Attributes, Context, Span, Tracer } from '@opentelemetry/api';
import type { Config } from '../config/config.js';
import type { Shutdown } from './shutdown.js';

type Api = typeof import('@opentelemetry/api');

/** What is measured once the SDK is loaded; null while tracing is off. */
let active: { api: Api; tracer: Tracer } | null = null;

export interface SpanOptions {
  kind?: 'internal' | 'server' | 'client' | 'consumer';
  attributes?: Attributes;
  /** A `traceparent` (W3C Trace Context §3.2) from outside of this process; without it, the current span is the parent. */
  parent?: string | null;
}

/** A span that was begun; every function does nothing while tracing is off. */
export interface OpenSpan {
  set(attributes: Attributes): void;
  /** Marks it as failed. */
  fail(reason: string): void;
  /** Runs `work` with it as the current span. */
  within<T>(work: () => T): T;
  end(): void;
}

const NO_SPAN: OpenSpan = {
  set: () => undefined,
  fail: () => undefined,
  within: (work) => work(),
  end: () => undefined,
};

/**
 * Traces of the way of an email (OpenTelemetry). While OTEL_EXPORTER_OTLP_ENDPOINT is not set, no SDK is loaded and a span costs one
 * comparison.
 */
export const tracing = {
  get isOn(): boolean {
    return active !== null;
  },

  /** Loads the SDK if the settings ask for it; spans that wait are sent before the program ends. */
  async start(config: Config, shutdown: Shutdown): Promise<void> {
    const { settings, program } = config;
    const { OTEL_EXPORTER_OTLP_ENDPOINT: endpoint } = settings;
    if (endpoint === undefined) return;
    // More than half a second of processor time, which programs without tracing do not spend.
    const [api, { NodeSDK, node }, { OTLPTraceExporter }] = await Promise.all([
      import('@opentelemetry/api'),
      import('@opentelemetry/sdk-node'),
      import('@opentelemetry/exporter-trace-otlp-http'),
    ]);
    const sdk = new NodeSDK({
      serviceName: settings.OTEL_SERVICE_NAME ?? `postloft-${program}`,
      traceExporter: new OTLPTraceExporter({
        url: `${endpoint.replace(/\/$/, '')}/v1/traces`,
        headers: settings.OTEL_EXPORTER_OTLP_HEADERS,
      }),
      // By the id of the trace, not by the flag of the caller: a stranger does not decide what is recorded.
      sampler: new node.TraceIdRatioBasedSampler(settings.OTEL_TRACES_SAMPLER_ARG),
      metricReaders: [],
      logRecordProcessors: [],
    });
    sdk.start();
    active = { api, tracer: api.trace.getTracer('postloft') };
    shutdown.on('flush', 'traces', async () => {
      active = null;
      await sdk.shutdown().catch(() => undefined);
    });
  },

  /** Runs `work` in a span, which fails if `work` does. */
  async span<T>(name: string, options: SpanOptions, work: (span: OpenSpan) => Promise<T>): Promise<T> {
    if (active === null) return work(NO_SPAN);
    const span = this.begin(name, options);
    try {
      return await span.within(() => work(span));
    } catch (error) {
      span.fail((error as Error).message);
      throw error;
    } finally {
      span.end();
    }
  },

  begin(name: string, options: SpanOptions = {}): OpenSpan {
    return active === null ? NO_SPAN : openSpan(active, name, options);
  },

  /** The `traceparent` of the current span, to be stored with what goes on later; null without one. */
  context(): string | null {
    if (active === null) return null;
    const span = active.api.trace.getActiveSpan()?.spanContext();
    return span === undefined ? null : `00-${span.traceId}-${span.spanId}-0${(span.traceFlags & 1).toString()}`;
  },
};

function openSpan({ api, tracer }: { api: Api; tracer: Tracer }, name: string, options: SpanOptions): OpenSpan {
  const { kind = 'internal', attributes, parent } = options;
  const above = parent ? remoteContext(api, parent) : api.context.active();
  const span = tracer.startSpan(name, { kind: api.SpanKind[KINDS[kind]], attributes }, above);
  return {
    set: (more) => void span.setAttributes(more),
    fail: (message) => void span.setStatus({ code: api.SpanStatusCode.ERROR, message }),
    within: (work) => api.context.with(withSpan(api, above, span), work),
    end: () => span.end(),
  };
}

const KINDS = { internal: 'INTERNAL', server: 'SERVER', client: 'CLIENT', consumer: 'CONSUMER' } as const;

const withSpan = ({ trace }: Api, above: Context, span: Span): Context => trace.setSpan(above, span);

/** The context of a caller or of an earlier process; a value that is none begins a trace. */
function remoteContext({ trace, ROOT_CONTEXT }: Api, traceparent: string): Context {
  const parts = /^00-(?!0{32})([0-9a-f]{32})-(?!0{16})([0-9a-f]{16})-([0-9a-f]{2})$/.exec(traceparent);
  if (parts === null) return ROOT_CONTEXT;
  const [, traceId, spanId, flags] = parts;
  return trace.setSpanContext(ROOT_CONTEXT, {
    ...{ traceId, spanId },
    traceFlags: Number.parseInt(flags, 16) & 1,
    isRemote: true,
  });
}
