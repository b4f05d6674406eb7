import { defineConfig, mergeConfig } from 'vitest/config';
import heavy from './vitest.heavy.config.js';

/** Tests that take minutes because they wait, and next to no processor time: run beside the other heavy ones. */
export default mergeConfig(
  { ...heavy, test: { ...heavy.test, include: undefined, exclude: undefined } },
  defineConfig({ test: { include: ['test/heavy/patient/**/*.e2e-spec.ts'], testTimeout: 600_000 } }),
);
