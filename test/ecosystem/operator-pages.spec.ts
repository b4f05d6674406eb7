import { execFile } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { requireProgram } from '../support/rest/client-builds.js';
import { freePorts } from '../support/services/ports.js';
import { emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';

const ROOT = new URL('../../', import.meta.url).pathname;
/** Commands that need systemd or a release; `release.spec.ts` runs the installer. */
const ELSEWHERE = [/^sudo sh install\.sh /, /^sudo systemctl /, /^sha256sum --check /];
/** It exits with 1 when it finds a problem, as it does on a machine without the records of the page. */
const MAY_FIND_PROBLEMS = /^postloft doctor/;
const run = promisify(execFile);

/** The commands of a page, in order; a command may have several lines. */
function commandsOf(page: string): string[] {
  const text = readFileSync(join(ROOT, 'docs', page), 'utf8');
  const blocks = [...text.matchAll(/^```sh\n([^]*?)^```$/gm)].map(([, block]) => block);
  return blocks
    .flatMap((block) => block.replaceAll('\\\n', ' ').split('\n'))
    .filter((line) => line !== '' && !ELSEWHERE.some((one) => one.test(line)));
}

describe('the pages for operators', () => {
  const folder = mkdtempSync(join(tmpdir(), 'postloft-pages-'));
  let service: RunningProgram;
  let env: Record<string, string>;

  beforeAll(async () => {
    requireProgram('jq', '--version');
    const [ops] = await freePorts(1);
    const settings = {
      ...(await standaloneEnv(emptyDataDir())),
      OPS_PORT: String(ops),
      SERVICE_DOMAIN: 'post.example.com',
      PENALTY_POOL: '127.0.0.9=penalty.post.example.com',
    };
    service = await launch('standalone', settings);
    mkdirSync(join(folder, 'bin'));
    const postloft = join(folder, 'bin', 'postloft');
    writeFileSync(postloft, `#!/bin/sh\nexec node ${join(ROOT, 'dist/programs/cli.js')} "$@"\n`);
    chmodSync(postloft, 0o755);
    env = {
      ...settings,
      PATH: [join(folder, 'bin'), process.env['PATH']].join(delimiter),
      HOME: folder,
      PUBLIC_URL: service.url,
      OPS_URL: `http://127.0.0.1:${ops}`,
    };
  });
  afterAll(async () => {
    await service?.kill();
    service?.clean();
    rmSync(folder, { recursive: true });
  });

  /** Runs a page as one script, because later commands use variables of earlier ones. Returns the output of each command. */
  async function outputs(page: string, given: Record<string, string> = {}): Promise<Map<string, string>> {
    const commands = commandsOf(page);
    const script = commands.map((command, i) => {
      const local = command
        .replaceAll('/var/backups/postloft', join(folder, 'backups'))
        .replaceAll('/tmp/postloft-restore', join(folder, 'restore'));
      // A reader is slower than a script.
      const wait = command.includes('/captured') ? 'sleep 3; ' : '';
      return `{ ${wait}${local}\n} > ${join(folder, `${i}.out`)}${MAY_FIND_PROBLEMS.test(command) ? ' || [ $? -eq 1 ]' : ''}`;
    });
    await run('bash', ['-euo', 'pipefail', '-c', script.join('\n')], {
      env: { ...env, ...given },
      cwd: folder,
      timeout: 300_000,
    });
    return new Map(commands.map((command, i) => [command, readFileSync(join(folder, `${i}.out`), 'utf8')]));
  }

  const outputOf = (all: Map<string, string>, start: string) =>
    [...all]
      .filter(([command]) => command.startsWith(start))
      .map(([, output]) => output)
      .join('\n');
  let account: string;

  it('lead through the first hour', async () => {
    const all = await outputs('first-hour.md');
    expect(outputOf(all, 'postloft login-link')).toContain('/app/login?link=');
    expect(outputOf(all, 'postloft dns')).toMatch(/^smtp\.post\.example\.com\. A 192\.0\.2\.10$/m);
    expect(outputOf(all, 'postloft domains list')).toMatch(/_domainkey\.shop\.example\.com\t(TXT|CNAME)\t/);
    expect(JSON.parse(outputOf(all, 'curl -s $PUBLIC_URL/emails'))).toMatchObject({ object: 'email' });
    expect(outputOf(all, 'curl -s $PUBLIC_URL/captured')).toContain('you@example.com');
    expect(Number(outputOf(all, 'curl -s $OPS_URL/metrics'))).toBeGreaterThan(50);
    account = (JSON.parse(await command('accounts', 'list', '--json')) as { id: string }[])[0].id;
  }, 300_000);

  it('lead through the first month', async () => {
    // As in the settings that install.sh writes.
    const masterKey = readFileSync(join(service.dataDir, 'master-key'), 'utf8').trim();
    const all = await outputs('first-month.md', { ACCOUNT: account, MASTER_KEY: masterKey });
    expect(outputOf(all, 'postloft accounts list')).toContain('Shop');
    expect(outputOf(all, 'postloft api-keys list')).toContain('Shop backend');
    expect(outputOf(all, 'postloft accounts export')).toContain('shop.example.net');
  }, 300_000);

  const command = async (...words: string[]) => (await run('postloft', words, { env })).stdout;
});
