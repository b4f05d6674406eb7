import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The five programs as processes of their own, on PostgreSQL, a real Kafka and ClickHouse over HTTP. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: undefined } },
  defineConfig({
    test: {
      include: ['test/distributed/**/*.e2e-spec.ts', 'test/medium/**/*kafka*.spec.ts'],
      fileParallelism: false,
      hookTimeout: 180_000,
      testTimeout: 120_000,
    },
  }),
);
