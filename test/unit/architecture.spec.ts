import { execFile } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));
const CONFIG = join(ROOT, '.dependency-cruiser.cjs');
const RULES = (createRequire(import.meta.url)(CONFIG) as { forbidden: { name: string }[] }).forbidden.map(
  (r) => r.name,
);

const MECHANISMS = ['dns', 'safe-fetch', 'mime', 'mta', 'persistence', 'bus', 'stats', 'storage', 'tracking'];
const DOMAINS = [
  'accounts',
  'domains',
  'suppressions',
  'emails',
  'queue',
  'inbound',
  'tls-reports',
  'notices',
  'erasure',
  'backup',
  'webhooks',
  'doctor',
];

/** One planted file each: what it imports, and the one rule that must report it. */
const PLANTS: [rule: string, file: string, imports: string][] = [
  ['no-cycles', 'libs/mime/src/ring-one.ts', './ring-two.js'],
  ['imports-exist', 'libs/mime/src/lost.ts', './nowhere.js'],
  ['contracts-is-a-leaf', 'libs/contracts/src/to-lib.ts', '#libs/kernel'],
  ['contracts-is-a-leaf', 'libs/contracts/src/to-package.ts', 'kafkajs-types'],
  ['contracts-is-a-leaf', 'libs/contracts/src/to-node.ts', 'node:crypto'],
  ['kernel-knows-only-contracts', 'libs/kernel/src/to-mechanism.ts', '#libs/persistence'],
  ['kernel-knows-only-contracts', 'libs/kernel/src/to-domain.ts', '#libs/emails'],
  ['mechanisms-know-no-domain', 'libs/mime/src/to-domain.ts', '#libs/emails'],
  ['mechanisms-know-no-domain', 'libs/bus/src/to-domain.ts', '#libs/webhooks'],
  ['mechanisms-know-no-domain', 'libs/stats/src/to-domain.spec.ts', '#libs/domains'],
  ['mechanisms-apart', 'libs/persistence/src/to-bus.ts', '#libs/bus'],
  ['mechanisms-apart', 'libs/stats/src/to-persistence.ts', '#libs/persistence'],
  ['mechanisms-apart', 'libs/dns/src/to-safe-fetch.ts', '#libs/safe-fetch'],
  ['mechanisms-apart', 'libs/dns/src/to-mta.ts', '#libs/mta'],
  ['mechanisms-apart', 'libs/storage/src/to-persistence.ts', '#libs/persistence'],
  ['mta-and-safe-fetch-use-dns', 'libs/mta/src/to-mime.ts', '#libs/mime'],
  ['mta-and-safe-fetch-use-dns', 'libs/safe-fetch/src/to-mta.ts', '#libs/mta'],
  ['dns-users', 'libs/emails/src/to-dns.ts', '#libs/dns'],
  ['dns-users', 'apps/gateway/src/to-dns.ts', '#libs/dns'],
  ['dns-clients-in-dns', 'libs/emails/src/to-node-dns.ts', 'node:dns'],
  ['dns-clients-in-dns', 'apps/cli/src/to-node-dns.ts', 'node:dns/promises'],
  ['dns-clients-in-dns', 'libs/mta/src/to-dns-packet.ts', 'dns-packet'],
  ['safe-fetch-users', 'libs/domains/src/to-safe-fetch.ts', '#libs/safe-fetch'],
  ['safe-fetch-users', 'apps/smtp/src/to-safe-fetch.ts', '#libs/safe-fetch'],
  ['bus-has-one-neighbour', 'libs/bus/src/to-stats.ts', '#libs/stats'],
  ['bus-has-one-neighbour', 'libs/bus/src/to-dns.ts', '#libs/dns'],
  ['mail-without-framework', 'libs/dns/src/to-nest.ts', '@nestjs/common'],
  ['mail-without-framework', 'libs/mime/src/to-nest.ts', '@nestjs/common'],
  ['mail-without-framework', 'libs/mta/src/to-typeorm.ts', 'typeorm'],
  ['mail-without-framework', 'libs/mta/src/to-pg.ts', 'pg'],
  ['domains-apart', 'libs/accounts/src/to-domains.ts', '#libs/domains'],
  ['domains-apart', 'libs/webhooks/src/to-emails.ts', '#libs/emails'],
  ['users-use-accounts', 'libs/users/src/to-emails.ts', '#libs/emails'],
  ['message-imports-nothing-upwards', 'libs/emails/src/message/to-intake.ts', '../inner.js'],
  ['message-imports-nothing-upwards', 'libs/emails/src/message/tracking/to-index.spec.ts', '../../index.js'],
  ['message-libs-in-order', 'libs/emails/src/to-webhooks.ts', '#libs/webhooks'],
  ['message-libs-in-order', 'libs/inbound/src/to-webhooks.ts', '#libs/webhooks'],
  ['emails-is-first', 'libs/emails/src/to-queue.ts', '#libs/queue'],
  ['tls-reports-is-second', 'libs/tls-reports/src/to-queue.ts', '#libs/queue'],
  ['queue-is-third', 'libs/queue/src/to-inbound.ts', '#libs/inbound'],
  ['front-door-only', 'apps/gateway/src/by-inner-file.ts', '../../../libs/emails/src/inner.js'],
  ['front-door-only', 'libs/emails/src/by-inner-file.ts', '../../accounts/src/inner.js'],
  ['kafka-folder-closed', 'libs/bus/src/index.ts', './kafka/inner.js'],
  ['kafka-folder-closed', 'libs/bus/src/postgres/to-kafka.ts', '../kafka/inner.js'],
  ['postgres-folder-closed', 'libs/bus/src/event-log.ts', './postgres/inner.js'],
  ['postgres-folder-closed', 'libs/bus/src/kafka/to-postgres.ts', '../postgres/inner.js'],
  ['doctor-is-last', 'libs/erasure/src/to-doctor.ts', '#libs/doctor'],
  ['doctor-is-last', 'libs/backup/src/to-doctor.ts', '#libs/doctor'],
  ['kafka-client-in-its-brand', 'libs/bus/src/to-client.ts', 'kafkajs'],
  ['libs-know-no-app', 'libs/emails/src/to-app.ts', '#apps/smtp/src/inner'],
  ['apps-apart', 'apps/gateway/src/to-smtp.ts', '#apps/smtp/src/inner'],
  ['apps-apart', 'apps/cli/src/to-smtp.ts', '#apps/smtp/src/inner'],
  ['apps-apart', 'apps/gateway/src/to-cli.ts', '#apps/cli/src/inner'],
  ['cli-apart', 'apps/standalone/src/to-cli.ts', '#apps/cli/src/inner'],
  ['dashboard-sees-the-schema-only', 'apps/dashboard/src/to-lib.ts', '#libs/contracts'],
  ['nothing-needs-test', 'apps/smtp/src/to-test.ts', '../../../test/support/inner.js'],
  ['nothing-needs-test', 'bench/to-test.ts', '../test/support/inner.js'],
  ['no-test-code-in-source', 'libs/emails/src/to-suite.ts', './inner.suite.js'],
  ['no-test-code-in-source', 'libs/emails/src/to-vitest.ts', 'vitest'],
];

/** What the arrows allow, with the same targets: a rule that reports one of these is too eager. */
const ALLOWED: [file: string, imports: string][] = [
  ['libs/kernel/src/good.ts', '#libs/contracts'],
  ['libs/mta/src/good.ts', '#libs/kernel'],
  ['libs/mta/src/better.ts', '#libs/dns'],
  ['libs/dns/src/good.ts', '#libs/kernel'],
  ['libs/dns/src/better.ts', 'node:dns/promises'],
  ['libs/dns/src/best.ts', 'dns-packet'],
  ['libs/mta/src/good.spec.ts', 'node:dns'],
  ['libs/safe-fetch/src/good.ts', '#libs/dns'],
  ['libs/safe-fetch/src/better.ts', '@nestjs/common'],
  ['libs/domains/src/good.ts', '#libs/dns'],
  ['libs/queue/src/better.ts', '#libs/safe-fetch'],
  ['libs/doctor/src/good.ts', '#libs/dns'],
  ['libs/bus/src/bus.module.ts', './kafka/inner.js'],
  ['libs/bus/src/outbox-relay.ts', './postgres/inner.js'],
  ['libs/bus/src/kafka/good.ts', 'kafkajs'],
  ['libs/bus/src/good.ts', '#libs/persistence'],
  ['libs/emails/src/good.ts', '#libs/suppressions'],
  ['libs/emails/src/message/good.ts', '#libs/suppressions'],
  ['libs/emails/src/message/tracking/good.ts', '../good.js'],
  ['libs/emails/src/queries/good.ts', '../message/good.js'],
  ['libs/users/src/good.ts', '#libs/accounts'],
  ['libs/inbound/src/good.ts', '#libs/queue'],
  ['libs/queue/src/good.ts', '#libs/tls-reports'],
  ['libs/webhooks/src/good.ts', '#libs/mta'],
  ['libs/emails/src/good.spec.ts', '../../../test/support/inner.js'],
  ['libs/emails/src/better.spec.ts', 'vitest'],
  ['apps/standalone/src/good.ts', '#apps/smtp/src/inner'],
  ['apps/gateway/src/good.ts', '#libs/emails'],
  ['test/support/good.ts', '../../libs/bus/src/kafka/inner.js'],
];

interface Finding {
  rule: string;
  file: string;
}

describe('the dependencies between folders', () => {
  let fixture: string;
  let findings: Finding[];

  beforeAll(async () => {
    fixture = realpathSync(mkdtempSync(join(tmpdir(), 'postloft-arrows-')));
    furnish();
    findings = await cruise(fixture);
  });
  afterAll(() => rmSync(fixture, { recursive: true, force: true }));

  it.each(PLANTS)('%s reports %s, which imports %s', (rule, file) => {
    expect(findings.filter((finding) => finding.file === file)).toEqual([{ rule, file }]);
  });

  it('reports nothing that was not planted', () => {
    const planted = new Set(PLANTS.map(([, file]) => file));
    expect(findings.filter(({ file }) => !planted.has(file))).toEqual([]);
  });

  it('has each of its rules planted at least once', () => {
    expect(RULES.filter((name) => !PLANTS.some(([rule]) => rule === name))).toEqual([]);
  });

  /** A small tree of empty libraries, in which only the planted imports exist. */
  function furnish(): void {
    for (const name of ['package.json', 'tsconfig.json']) cpSync(join(ROOT, name), join(fixture, name));
    for (const name of ['@nestjs/common', 'typeorm', 'pg', 'kafkajs', 'kafkajs-types', 'dns-packet', 'vitest']) {
      write(`node_modules/${name}/package.json`, JSON.stringify({ name, main: 'index.js' }));
      write(`node_modules/${name}/index.js`, '');
    }
    for (const lib of ['contracts', 'kernel', ...MECHANISMS, ...DOMAINS]) {
      for (const file of ['index', 'inner', 'inner.suite']) write(`libs/${lib}/src/${file}.ts`, 'export {};\n');
    }
    for (const folder of [
      'libs/bus/src/kafka',
      'libs/bus/src/postgres',
      'apps/cli/src',
      'apps/smtp/src',
      'test/support',
    ])
      write(`${folder}/inner.ts`, 'export {};\n');
    write('libs/mime/src/ring-two.ts', "export type * from './ring-one.js';\n");
    for (const [file, imports] of ALLOWED) write(file, `export type * from '${imports}';\n`);
    for (const [, file, imports] of PLANTS) write(file, `export type * from '${imports}';\n`);
  }

  function write(file: string, text: string): void {
    mkdirSync(dirname(join(fixture, file)), { recursive: true });
    writeFileSync(join(fixture, file), text);
  }
});

/** Runs the architecture check in a folder as `npm run check` does; a ring is reported once, for its first file. */
async function cruise(folder: string): Promise<Finding[]> {
  const command = join(ROOT, 'node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const folders = ['apps', 'libs', 'test', 'tools', 'bench'].filter((one) => existsSync(join(folder, one)));
  const output = await new Promise<string>((resolve) =>
    execFile(
      process.execPath,
      [command, '--config', CONFIG, '--output-type', 'json', ...folders],
      { cwd: folder, maxBuffer: 64 * 1024 * 1024 },
      (_failed, stdout) => resolve(stdout),
    ),
  );
  const { summary } = JSON.parse(output) as { summary: { violations: { from: string; rule: { name: string } }[] } };
  return summary.violations.map(({ from, rule }) => ({ rule: rule.name, file: from }));
}
