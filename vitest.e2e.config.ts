import { defineConfig, mergeConfig } from 'vitest/config';
import base from './vitest.config.js';

/** The started program from outside. Three files at a time: each runs a whole service and waits for it most of the time. */
export default mergeConfig(
  { ...base, test: { ...base.test, include: undefined } },
  defineConfig({
    test: { include: ['test/e2e/**/*.e2e-spec.ts'], hookTimeout: 120_000, testTimeout: 60_000, maxWorkers: 3 },
  }),
);
