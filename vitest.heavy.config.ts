import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The promises in their full counts, and what needs other people's servers: minutes, not seconds. One file at a time. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: undefined } },
  defineConfig({
    test: {
      include: ['test/heavy/**/*.e2e-spec.ts'],
      exclude: ['test/heavy/patient/**'],
      fileParallelism: false,
      hookTimeout: 180_000,
      testTimeout: 300_000,
    },
  }),
);
