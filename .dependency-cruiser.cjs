// Who may know whom: apps → domain libs → mechanisms → kernel → contracts. Specs beside the files obey the same arrows;
// a test that needs more rooms than its own lives in test/, which may look anywhere.
// `test/medium/architecture.spec.ts` plants one violation per rule and sees that rule, and no other, report it.

const MECHANISMS = 'mime|mta|persistence|bus|stats';
const DOMAINS = 'accounts|domains|suppressions|emails|webhooks';
const TEST_CODE = '\\.(spec|suite|e2e-spec)\\.ts$';
/** Names of packages, or their beginnings up to a slash. */
const packages = (...names) => `(^|/)node_modules/(${names.join('|')})`;

module.exports = {
  forbidden: [
    {
      name: 'no-cycles',
      comment: 'Two files that need each other are one file, or miss a third. Rings of types count.',
      severity: 'error',
      from: {},
      to: { circular: true },
    },
    {
      name: 'imports-exist',
      comment: 'An import that leads nowhere would escape every other rule.',
      severity: 'error',
      from: { path: '^(apps|libs|test)/' },
      to: { couldNotResolve: true },
    },
    {
      name: 'contracts-is-a-leaf',
      comment: 'Contracts are read by everybody, so they depend on nobody: no lib, no package, no part of Node.js.',
      severity: 'error',
      from: { path: '^libs/contracts/', pathNot: TEST_CODE },
      to: { pathNot: '^(libs/contracts|apps|test)/' },
    },
    {
      name: 'kernel-knows-only-contracts',
      severity: 'error',
      from: { path: '^libs/kernel/' },
      to: { path: '^libs/', pathNot: '^libs/(kernel|contracts)/' },
    },
    {
      name: 'mechanisms-know-no-domain',
      comment: 'Mechanisms know mail or storage and no customer.',
      severity: 'error',
      from: { path: `^libs/(${MECHANISMS})/` },
      to: { path: `^libs/(${DOMAINS})/` },
    },
    {
      name: 'mechanisms-apart',
      severity: 'error',
      from: { path: '^libs/(mime|mta|persistence|stats)/' },
      to: { path: `^libs/(${MECHANISMS})/`, pathNot: '^libs/$1/' },
    },
    {
      name: 'bus-has-one-neighbour',
      comment: 'The outbox and the log are tables: the bus uses persistence, and no other mechanism.',
      severity: 'error',
      from: { path: '^libs/bus/' },
      to: { path: '^libs/(mime|mta|stats)/' },
    },
    {
      name: 'mail-without-framework',
      comment: 'mime and mta are usable, and measurable, without Nest and without a database.',
      severity: 'error',
      from: { path: '^libs/(mime|mta)/' },
      to: { path: packages('@nestjs/', '@types/pg/', 'typeorm/', 'pg/', 'pg-') },
    },
    {
      name: 'domains-apart',
      severity: 'error',
      from: { path: '^libs/(accounts|domains|suppressions|webhooks)/' },
      to: { path: `^libs/(${DOMAINS})/`, pathNot: '^libs/$1/' },
    },
    {
      name: 'emails-not-webhooks',
      comment: 'emails asks accounts, domains and suppressions; webhooks learn from the event log what happened.',
      severity: 'error',
      from: { path: '^libs/emails/' },
      to: { path: '^libs/webhooks/' },
    },
    {
      name: 'front-door-only',
      comment: 'A lib is entered through its src/index.ts.',
      severity: 'error',
      from: { path: '^((?:apps|libs)/[^/]+)/' },
      to: { path: '^libs/[^/]+/', pathNot: '^$1/|^libs/[^/]+/src/index\\.ts$' },
    },
    {
      name: 'kafka-folder-closed',
      comment: 'Which event log is used is chosen in one file, so that a brand can be added or taken away.',
      severity: 'error',
      from: { path: '^libs/bus/', pathNot: '^libs/bus/src/(kafka/|bus[.]module[.]ts$)' },
      to: { path: '^libs/bus/src/kafka/' },
    },
    {
      name: 'postgres-folder-closed',
      comment: 'Opened by the choice, by the front door and by what keeps the log moving whatever brand is read.',
      severity: 'error',
      from: { path: '^libs/bus/', pathNot: '^libs/bus/src/(postgres/|(bus[.]module|index|log-carriage)[.]ts$)' },
      to: { path: '^libs/bus/src/postgres/' },
    },
    {
      name: 'kafka-client-in-its-brand',
      comment: 'The client library is the affair of one folder.',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: '^libs/bus/src/kafka/' },
      to: { path: packages('kafkajs/') },
    },
    {
      name: 'libs-know-no-app',
      severity: 'error',
      from: { path: '^libs/' },
      to: { path: '^apps/' },
    },
    {
      name: 'apps-apart',
      comment: 'Only the standalone program puts the others together.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'dashboard-sees-the-schema-only',
      comment: 'The dashboard is a client like any other: it knows the API by schema.gql.',
      severity: 'error',
      from: { path: '^apps/dashboard/' },
      to: { path: '^libs/' },
    },
    {
      name: 'nothing-needs-test',
      comment: 'What a program is made of must not need the folder test/.',
      severity: 'error',
      from: { pathNot: `^test/|${TEST_CODE}` },
      to: { path: '^test/' },
    },
    {
      name: 'no-test-code-in-source',
      severity: 'error',
      from: { path: '^(apps|libs)/', pathNot: TEST_CODE },
      to: {
        path: `^(apps|libs)/.*${TEST_CODE}|${packages('vitest/', '@vitest/', 'supertest/', '@nestjs/testing/', 'fast-check/')}`,
      },
    },
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data|coverage|\\.tools)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.js', '.mjs', '.d.ts'],
    },
  },
};
