// Who may know whom: apps → domain libs → mechanisms → kernel → contracts. Specs beside the files obey the same arrows;
// a test that needs more rooms than its own lives in test/, which may look anywhere.
// `test/unit/architecture.spec.ts` plants one violation per rule and sees that rule, and no other, report it.

const MECHANISMS = 'dns|safe-fetch|mime|mta|persistence|bus|stats|storage|tracking';
const DOMAINS =
  'accounts|domains|suppressions|emails|queue|inbound|tls-reports|notices|erasure|backup|users|webhooks|certificates|doctor';
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
      comment: 'dns, for example, imports the kernel only.',
      severity: 'error',
      from: { path: '^libs/(dns|mime|persistence|stats|storage|tracking)/' },
      to: { path: `^libs/(${MECHANISMS})/`, pathNot: '^libs/$1/' },
    },
    {
      name: 'mta-and-safe-fetch-use-dns',
      comment: 'kernel ← dns ← mta, safe-fetch: both resolve names and import no other mechanism.',
      severity: 'error',
      from: { path: '^libs/(mta|safe-fetch)/' },
      to: { path: `^libs/(${MECHANISMS})/`, pathNot: '^libs/($1|dns)/' },
    },
    {
      name: 'dns-users',
      comment: 'Only what checks DNS records imports dns. Everything else resolves names through mta or safe-fetch.',
      severity: 'error',
      from: {
        path: `^(apps|libs/(${DOMAINS}))/`,
        pathNot: '^(apps/standalone|libs/(doctor|domains|inbound|tls-reports))/',
      },
      to: { path: '^libs/dns/' },
    },
    {
      name: 'dns-clients-in-dns',
      comment: 'Queries go through libs/dns, which bounds their time and never blocks the thread pool.',
      severity: 'error',
      from: { path: '^(apps|libs|tools|bench)/', pathNot: `^libs/dns/|${TEST_CODE}` },
      to: { path: `^(node:)?dns(/promises)?$|${packages('dns-packet/', '@types/dns-packet/')}` },
    },
    {
      name: 'safe-fetch-users',
      comment: 'Requests to untrusted hosts: attachments, MTA-STS policies, TLS reports and webhooks.',
      severity: 'error',
      from: { path: `^(apps|libs/(${DOMAINS}))/`, pathNot: '^libs/(emails|queue|tls-reports|webhooks)/' },
      to: { path: '^libs/safe-fetch/' },
    },
    {
      name: 'bus-has-one-neighbour',
      comment: 'The outbox and the log are tables: the bus uses persistence, and no other mechanism.',
      severity: 'error',
      from: { path: '^libs/bus/' },
      to: { path: '^libs/(dns|safe-fetch|mime|mta|stats)/' },
    },
    {
      name: 'mail-without-framework',
      comment: 'dns, mime and mta are usable, and measurable, without Nest and without a database.',
      severity: 'error',
      from: { path: '^libs/(dns|mime|mta)/' },
      to: { path: packages('@nestjs/', '@types/pg/', 'typeorm/', 'pg/', 'pg-') },
    },
    {
      name: 'domains-apart',
      severity: 'error',
      from: { path: '^libs/(accounts|domains|suppressions|webhooks)/' },
      to: { path: `^libs/(${DOMAINS})/`, pathNot: '^libs/$1/' },
    },
    {
      name: 'users-use-accounts',
      comment: 'People and their sessions belong to accounts. The programs compose and send the messages to them.',
      severity: 'error',
      from: { path: '^libs/users/' },
      to: { path: `^libs/(${DOMAINS})/`, pathNot: '^libs/(users|accounts)/' },
    },
    {
      name: 'message-libs-in-order',
      comment:
        'inbound → queue → tls-reports → emails → accounts, domains, suppressions. Webhooks learn from the event log what happened.',
      severity: 'error',
      from: { path: '^libs/(emails|tls-reports|queue|inbound)/' },
      to: { path: '^libs/(webhooks|users)/' },
    },
    {
      name: 'emails-is-first',
      severity: 'error',
      from: { path: '^libs/emails/' },
      to: { path: '^libs/(tls-reports|queue|inbound)/' },
    },
    {
      name: 'message-imports-nothing-upwards',
      comment: 'Accepting, reading, changing and tracking emails use the message; the message uses none of them.',
      severity: 'error',
      from: { path: '^libs/emails/src/message/' },
      to: { path: '^libs/emails/', pathNot: '^libs/emails/src/message/' },
    },
    {
      name: 'tls-reports-is-second',
      severity: 'error',
      from: { path: '^libs/tls-reports/' },
      to: { path: '^libs/(queue|inbound)/' },
    },
    {
      name: 'queue-is-third',
      severity: 'error',
      from: { path: '^libs/queue/' },
      to: { path: '^libs/inbound/' },
    },
    {
      name: 'doctor-is-last',
      comment: 'The doctor examines all of them.',
      severity: 'error',
      from: { path: '^libs/(emails|tls-reports|queue|inbound|notices|erasure|backup)/' },
      to: { path: '^libs/doctor/' },
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
      comment: 'One file selects the event log, so that an implementation can be added or removed.',
      severity: 'error',
      from: { path: '^libs/bus/', pathNot: '^libs/bus/src/(kafka/|bus[.]module[.]ts$)' },
      to: { path: '^libs/bus/src/kafka/' },
    },
    {
      name: 'postgres-folder-closed',
      comment: 'Imported by the module that selects, by the index, and by the relay that runs whichever log is read.',
      severity: 'error',
      from: { path: '^libs/bus/', pathNot: '^libs/bus/src/(postgres/|(bus[.]module|index|outbox-relay)[.]ts$)' },
      to: { path: '^libs/bus/src/postgres/' },
    },
    {
      name: 'kafka-client-in-its-brand',
      comment: 'Only one folder imports the client library.',
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
      comment: 'Only the standalone program imports other programs.',
      severity: 'error',
      from: { path: '^apps/([^/]+)/', pathNot: '^apps/standalone/' },
      to: { path: '^apps/', pathNot: '^apps/$1/' },
    },
    {
      name: 'cli-apart',
      comment: 'The standalone program serves; it contains no commands.',
      severity: 'error',
      from: { path: '^apps/standalone/' },
      to: { path: '^apps/cli/' },
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
    // The programs for generated clients have packages of their own.
    exclude: { path: '^(dist|data|coverage|\\.tools|test/ecosystem/clients)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      exportsFields: ['exports'],
      conditionNames: ['source', 'import', 'node', 'default', 'types'],
      extensions: ['.ts', '.tsx', '.js', '.mjs', '.d.ts'],
    },
  },
};
