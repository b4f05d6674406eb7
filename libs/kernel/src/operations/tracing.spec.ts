import { describe, expect, it } from 'vitest';
import { Log } from '../logging/log.js';
import { loadConfig } from '../config/config.js';
import { Shutdown } from './shutdown.js';
import { tracing } from './tracing.js';

describe('tracing without a receiver', () => {
  it('loads nothing, and runs the work of a span as it is', async () => {
    await tracing.start(loadConfig('gateway', ENGINES), new Shutdown(Log.quiet()));
    expect(tracing.isOn).toBe(false);
    expect(tracing.context()).toBeNull();
    expect(await tracing.span('work', {}, async (span) => span.within(() => 7))).toBe(7);
    const failed = tracing.span('work', {}, () => Promise.reject(new Error('no')));
    await expect(failed).rejects.toThrow('no');
  });
});

const ENGINES = {
  DATABASE_URL: 'postgres://u:p@127.0.0.1/d',
  CLICKHOUSE_URL: 'http://127.0.0.1:8123/d',
  MASTER_KEY: Buffer.alloc(32, 1).toString('base64'),
};

describe('the settings of traces', () => {
  const settings = (env: Record<string, string>) => loadConfig('gateway', { ...ENGINES, ...env }).settings;

  it('take pairs of headers, with encoded values', () => {
    const { OTEL_EXPORTER_OTLP_HEADERS } = settings({
      OTEL_EXPORTER_OTLP_HEADERS: 'authorization=Bearer%20a%3D, x-team = mail',
    });
    expect(OTEL_EXPORTER_OTLP_HEADERS).toEqual({ authorization: 'Bearer a=', 'x-team': 'mail' });
  });

  it.each([
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'authorization' }, /^OTEL_EXPORTER_OTLP_HEADERS must be pairs such as/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a b=c' }, /^OTEL_EXPORTER_OTLP_HEADERS must be pairs such as/],
    [{ OTEL_EXPORTER_OTLP_HEADERS: 'a=%zz' }, /^OTEL_EXPORTER_OTLP_HEADERS must be pairs such as/],
    [{ OTEL_TRACES_SAMPLER_ARG: '1.5' }, /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/],
    [{ OTEL_TRACES_SAMPLER_ARG: 'all' }, /^OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1/],
    [{ OTEL_EXPORTER_OTLP_ENDPOINT: 'localhost:4318' }, /^OTEL_EXPORTER_OTLP_ENDPOINT must be a URL/],
  ])('refuse %o', (env, sentence) => {
    expect(() => settings(env)).toThrow(sentence);
  });
});
