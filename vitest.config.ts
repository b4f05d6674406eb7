import { fileURLToPath } from 'node:url';
import { defineConfig } from 'vitest/config';

const conditions = ['source', 'module', 'node', 'development|production'];

export default defineConfig({
  resolve: {
    conditions,
    // One copy of graphql, as plain Node has it: vite would take its ES module build beside the one that Nest loads.
    alias: [
      { find: /^graphql$/, replacement: fileURLToPath(new URL('./node_modules/graphql/index.js', import.meta.url)) },
    ],
  },
  ssr: { resolve: { conditions } },
  test: {
    pool: 'forks',
    setupFiles: ['reflect-metadata'],
    globalSetup: ['test/support/global-setup.ts'],
    include: [
      '{apps,libs}/**/*.spec.ts',
      'test/medium/**/*.spec.ts',
      'test/golden/**/*.spec.ts',
      'test/dialogs/**/*.spec.ts',
    ],
    hookTimeout: 60_000,
    testTimeout: 20_000,
    // One more than cores of a small machine: many a test waits for a clock or an engine.
    maxWorkers: 3,
    // No file leaves anything behind, and the frameworks are loaded once per worker instead of once per file.
    isolate: false,
  },
});
