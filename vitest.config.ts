import { fileURLToPath } from 'node:url';
import { LongestFirst } from './test/support/timing/longest-first.js';
import { configDefaults, defineConfig, type TestProjectInlineConfiguration } from 'vitest/config';

/**
 * Specs that start threads: in a test that is a thread itself, such a thread may never end (Node.js 20), and the run with
 * it. They need no engine and run among the service tests, in processes.
 */
const THREADS = ['libs/**/{rsa-signers,sign-dkim,starttls}.spec.ts'];
/** The projects of the gate run together: the files of one fill the time in which those of another wait or end. */
const AFTER_GATE = ['engines', 'browser', 'perf', 'chaos', 'ecosystem'];
/** More than the cores of a small machine: many tests wait for an engine or for a time-out. */
const GATE_WORKERS = 4;
/** Not `module`, which is for bundlers: Node.js cannot load the modules that it selects of some packages. */
const conditions = ['source', 'node', 'development|production'];

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
    sequence: { sequencer: LongestFirst },
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
        maxWorkers: GATE_WORKERS,
      }),
      /** One library on real engines. Forks, because chDB allows one engine per process. */
      project('service', ['test/service/**/*.spec.ts', ...THREADS], {
        pool: 'forks',
        maxWorkers: GATE_WORKERS,
        setupFiles: ['reflect-metadata', 'test/support/fixtures/service-setup.ts'],
        globalSetup: ['test/support/fixtures/global-setup.ts'],
      }),
      /** The started program from outside. */
      project('system', ['test/system/**/*.spec.ts'], {
        pool: 'forks',
        maxWorkers: GATE_WORKERS,
        hookTimeout: 120_000,
        globalSetup: ['test/system/global-setup.ts'],
      }),
      /** Kafka, ClickHouse over HTTP and the six programs as processes of their own. */
      project('engines', ['test/engines/**/*.spec.ts'], {
        ...serial(),
        // Most of the time they wait for programs that start, and for Kafka.
        fileParallelism: true,
        maxWorkers: 2,
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
      project('ecosystem', ['test/ecosystem/**/*.spec.ts'], {
        ...serial(),
        globalSetup: ['test/support/fixtures/global-setup.ts'],
      }),
    ],
  },
});

function project(
  name: string,
  include: string[],
  options: TestProjectInlineConfiguration['test'],
): TestProjectInlineConfiguration {
  const sequence = { groupOrder: AFTER_GATE.indexOf(name) + 1 };
  return { extends: true, test: { ...options, name, include, sequence } };
}

/** One file at a time, each with time for minutes of work. */
function serial() {
  return { pool: 'forks', fileParallelism: false, hookTimeout: 180_000, testTimeout: 600_000 } as const;
}
