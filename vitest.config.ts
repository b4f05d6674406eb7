import { fileURLToPath } from 'node:url';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/**
 * Specs that start threads: in a test that is a thread itself, such a thread may never end (Node.js 20), and the run with
 * it. They need no engine and run among the service tests, in processes.
 */
const THREADS = ['libs/**/{rsa-signers,sign-dkim,starttls}.spec.ts'];
const PROJECTS = ['unit', 'service', 'system', 'engines', 'browser', 'perf', 'chaos', 'ecosystem'];
const conditions = ['source', 'module', 'node', 'development|production'];

/** `npm test` runs unit, service and system; the others have commands of their own in package.json. */
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
    setupFiles: ['reflect-metadata'],
    hookTimeout: 60_000,
    testTimeout: 60_000,
    // No file leaves anything behind, and the frameworks are loaded once per worker instead of once per file.
    isolate: false,
    experimental: { fsModuleCache: true },
    projects: [
      /** One module or a few; no engine, no global set-up. */
      project('unit', ['{apps,libs,test/unit}/**/*.spec.ts'], {
        exclude: [...configDefaults.exclude, ...THREADS],
        pool: 'threads',
        // More than the cores of a small machine: many tests wait for a time-out.
        maxWorkers: 4,
      }),
      /** One library on real engines. Forks, because chDB allows one engine per process. */
      project('service', ['test/service/**/*.spec.ts', ...THREADS], {
        pool: 'forks',
        // One more than the cores of a small machine: many tests wait for an engine.
        maxWorkers: 3,
        setupFiles: ['reflect-metadata', 'test/support/fixtures/service-setup.ts'],
        globalSetup: ['test/support/fixtures/global-setup.ts'],
      }),
      /** The started program from outside. */
      project('system', ['test/system/**/*.spec.ts'], {
        pool: 'forks',
        maxWorkers: 3,
        hookTimeout: 120_000,
        globalSetup: ['test/system/global-setup.ts'],
      }),
      /** Kafka, ClickHouse over HTTP and the five programs as processes of their own. */
      project('engines', ['test/engines/**/*.spec.ts'], {
        ...serial(),
        testTimeout: 120_000,
        globalSetup: ['test/support/fixtures/global-setup.ts'],
      }),
      /** The dashboard in Chromium. `gate` holds what `.ci/run` runs of it. */
      project('browser', ['test/browser/**/*.spec.ts'], {
        ...serial(),
        testTimeout: 300_000,
        globalSetup: ['test/browser/global-setup.ts'],
      }),
      /** Durations, rates and memory. On demand, on a quiet machine. */
      project('perf', ['test/perf/**/*.{spec,perf-spec}.ts'], {
        ...serial(),
        globalSetup: ['test/support/fixtures/global-setup.ts'],
      }),
      /** Kills, outages and hostile peers in full counts. On demand. */
      project('chaos', ['test/chaos/**/*.spec.ts'], {
        ...serial(),
        globalSetup: ['test/support/fixtures/global-setup.ts'],
      }),
      /** Versions of engines that others run, fetched for the purpose. On demand. */
      project('ecosystem', ['test/ecosystem/**/*.spec.ts'], serial()),
    ],
  },
});

function project(
  name: string,
  include: string[],
  options: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration {
  // Projects with different numbers of workers run one after the other.
  const sequence = { groupOrder: PROJECTS.indexOf(name) };
  return { extends: true, test: { ...options, name, include, sequence } };
}

/** One file at a time, each with time for minutes of work. */
function serial() {
  return { pool: 'forks', fileParallelism: false, hookTimeout: 180_000, testTimeout: 600_000 } as const;
}
