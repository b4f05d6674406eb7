import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The started program from outside. One file at a time: each runs a whole service, and a machine may have two cores. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: undefined } },
  defineConfig({
    test: { include: ['test/e2e/**/*.e2e-spec.ts'], fileParallelism: false, hookTimeout: 120_000, testTimeout: 60_000 },
  }),
);
