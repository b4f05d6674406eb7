import { execFile } from 'node:child_process';
import { existsSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { SecretBox } from '../../../libs/kernel/src/secret-box.js';
import { acquireDataDir, EmbeddedPostgres } from '../../../libs/persistence/src/embedded-postgres/index.js';
import { copyPreparedDataDir } from '../../support/services/prepared-data-dir.js';
import { freePorts } from '../../support/services/ports.js';

const ROOT = new URL('../../../', import.meta.url).pathname;
const [KEY, OTHER_KEY] = [Buffer.alloc(32, 7), Buffer.alloc(32, 8)];

interface Ended {
  code: unknown;
  stdout: string;
  stderr: string;
}

/** A database with one account, made with KEY. */
describe('with a master key that is not the one of the database', () => {
  let dataDir: string;
  let ports: number[];

  beforeAll(async () => {
    dataDir = copyPreparedDataDir();
    ports = await freePorts(4);
    const server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
    const client = new pg.Client(server.url);
    await client.connect();
    await client.query('INSERT INTO installation (master_key_check) VALUES ($1)', [new SecretBox(KEY).keyCheck]);
    await client.query(`INSERT INTO accounts (id, name) VALUES ('acc_1', 'Letters')`);
    await client.end();
    await server.stop();
  });
  afterAll(() => rmSync(dataDir, { recursive: true, force: true }));

  function run(program: string, args: string[], more: Record<string, string> = {}): Promise<Ended> {
    const [HTTP_PORT, SMTP_PORT, SMTPS_PORT, INBOUND_SMTP_PORT] = ports.map(String);
    const env = {
      PATH: process.env['PATH'] ?? '',
      DATA_DIR: dataDir,
      ...{ HTTP_PORT, SMTP_PORT, SMTPS_PORT, INBOUND_SMTP_PORT },
      ...more,
    };
    return new Promise((resolve) => {
      const file = join(ROOT, `dist/programs/${program}.js`);
      execFile(process.execPath, [file, ...args], { env, timeout: 60_000 }, (error, stdout, stderr) =>
        resolve({ code: error?.code ?? 0, stdout, stderr }),
      );
    });
  }
  const oneSentence = (begin: string) => ({
    code: 1,
    stderr: expect.stringMatching(new RegExp(`^${begin}.*\n$`)) as string,
  });
  const base64 = (key: Buffer) => key.toString('base64');

  it.each([
    ['standalone', []],
    ['cli', ['accounts', 'list']],
  ])('%s never makes a key', async (program, args) => {
    expect(await run(program, [...args])).toMatchObject(oneSentence('The master key is missing'));
    expect(existsSync(join(dataDir, 'master-key'))).toBe(false);
  });

  it('--check-config shows that the key is missing', async () => {
    const { stdout } = await run('standalone', ['--check-config']);
    expect(JSON.parse(stdout)).toMatchObject({
      MASTER_KEY: `(missing, although ${dataDir} has a database; not compared: no database is running)`,
    });
  });

  describe('and a database that runs elsewhere', () => {
    let stop: () => Promise<void>;
    let env: Record<string, string>;

    beforeAll(async () => {
      const lock = await acquireDataDir(dataDir);
      const server = await EmbeddedPostgres.start({ dataDir, log: () => undefined });
      stop = async () => {
        await server.stop();
        lock.release();
      };
      env = {
        DATABASE_URL: server.url,
        CLICKHOUSE_URL: 'http://127.0.0.1:1',
        KAFKA_BROKERS: '127.0.0.1:1',
        MASTER_KEY: base64(OTHER_KEY),
      };
    });
    afterAll(() => stop?.());

    it.each(['standalone', 'gateway', 'smtp', 'delivery', 'analytics', 'webhooks', 'relay'])(
      '%s stops with one sentence',
      async (program) => {
        const own = { ...env, DATA_DIR: join(dataDir, program) };
        expect(await run(program, [], own)).toMatchObject(
          oneSentence('The master key is not the one with which the database was made'),
        );
      },
    );

    it('--check-config compares the key', async () => {
      expect(await run('delivery', ['--check-config'], env)).toMatchObject(
        oneSentence('The master key is not the one with which the database was made'),
      );
      const right = await run('delivery', ['--check-config'], { ...env, MASTER_KEY: base64(KEY) });
      expect(JSON.parse(right.stdout)).toMatchObject({
        MASTER_KEY: expect.stringMatching(/^\(set; check value [0-9a-f]{16}; matches the database\)$/) as string,
      });
    });

    it('doctor compares the key', async () => {
      const doctor = await run('cli', ['doctor', '--only', 'engines', '--json'], env);
      expect(doctor.code).toBe(1);
      expect((JSON.parse(doctor.stdout) as { checks: object[] }).checks).toContainEqual(
        expect.objectContaining({
          status: 'error',
          subject: 'MASTER_KEY',
          message: 'The master key is not the one with which the database was made.',
        }),
      );
    });
  });

  it('a setting that differs from the file is refused before anything starts', async () => {
    writeFileSync(join(dataDir, 'master-key'), base64(KEY));
    const env = { MASTER_KEY: base64(OTHER_KEY) };
    for (const [program, args] of [
      ['standalone', []],
      ['standalone', ['--check-config']],
      ['cli', ['accounts', 'list']],
    ] as const)
      expect(await run(program, [...args], env)).toMatchObject(oneSentence('MASTER_KEY differs from the key in '));
    const shown = await run('standalone', ['--check-config']);
    expect(JSON.parse(shown.stdout)).toMatchObject({
      MASTER_KEY: expect.stringContaining(`(from ${join(dataDir, 'master-key')}; check value `) as string,
    });
  });
});
