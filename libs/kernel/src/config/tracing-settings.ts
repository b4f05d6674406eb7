import { fraction, headerPairs, text, url } from './setting-parsers.js';

/** Settings of traces, see `Config`. The names are those of the OpenTelemetry specification. */
export const TRACING_SETTINGS = {
  OTEL_EXPORTER_OTLP_ENDPOINT: { parse: url('http', 'https') as (value: string) => string | undefined },
  OTEL_EXPORTER_OTLP_HEADERS: {
    parse: headerPairs as (value: string) => Record<string, string> | undefined,
    secret: true,
  },
  OTEL_SERVICE_NAME: { parse: text as (value: string) => string | undefined },
  OTEL_TRACES_SAMPLER_ARG: { parse: fraction, fallback: '1' },
} as const;
