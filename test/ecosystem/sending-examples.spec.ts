import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import ts from 'typescript';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { API_KEY, emptyDataDir, launch, standaloneEnv, type RunningProgram } from '../support/services/program.js';
import { built, requireProgram, run, TOOLS } from '../support/rest/client-builds.js';
import { until } from '../support/timing/until.js';

const EXAMPLES = fileURLToPath(new URL('../../examples/sending/', import.meta.url));
const DOMAIN = 'mail.example.com';

/** As `tsx` does, which the project does not need otherwise. */
function compiled(file: string): string[] {
  const { outputText } = ts.transpileModule(readFileSync(join(EXAMPLES, file), 'utf8'), {
    compilerOptions: { module: ts.ModuleKind.ESNext, target: ts.ScriptTarget.ES2022 },
  });
  mkdirSync(TOOLS, { recursive: true });
  const path = join(TOOLS, `${basename(file, '.ts')}.mjs`);
  writeFileSync(path, outputText);
  return [process.execPath, path];
}

const COMMANDS: [file: string, command: () => string[]][] = [
  ['send-rest.ts', () => compiled('send-rest.ts')],
  ['send-smtp.ts', () => compiled('send-smtp.ts')],
  ['send_rest.py', () => ['python3', join(EXAMPLES, 'send_rest.py')]],
  ['send_smtp.py', () => ['python3', join(EXAMPLES, 'send_smtp.py')]],
  ['send-rest.php', () => ['php', join(EXAMPLES, 'send-rest.php')]],
  ['send-smtp.php', () => ['php', '-d', 'include_path=.:/usr/share/php', join(EXAMPLES, 'send-smtp.php')]],
];

describe('the examples of sending', () => {
  let service: RunningProgram;

  beforeAll(async () => {
    const env = { BOOTSTRAP_API_KEY: API_KEY, BOOTSTRAP_DOMAINS: DOMAIN, DELIVERY_MODE: 'capture' };
    service = await launch('standalone', { ...(await standaloneEnv(emptyDataDir())), ...env });
  });
  afterAll(async () => {
    await service?.kill();
    service?.clean();
  });

  const listed = async (to: string) => {
    const answer = await fetch(`${service.url}/emails?to=${encodeURIComponent(to)}`, {
      headers: { authorization: `Bearer ${API_KEY}` },
    });
    return ((await answer.json()) as { data: { subject: string; status: string; tags: object }[] }).data;
  };

  it.for(COMMANDS)('%s sends one email', async ([file, commandOf], { skip }) => {
    const command = await built(skip, () => {
      const [program, ...args] = commandOf();
      requireProgram(program, '--version');
      return Promise.resolve([program, ...args]);
    });
    if (command === null) return;
    const [program, ...args] = command;
    const to = `${file.replace(/\W/g, '-')}@example.net`;
    const env = {
      ...process.env,
      POSTLOFT_API_KEY: API_KEY,
      POSTLOFT_URL: service.url,
      POSTLOFT_SMTP_HOST: '127.0.0.1',
      POSTLOFT_SMTP_PORT: service.env['SMTP_PORT'],
      POSTLOFT_SELF_SIGNED: '1',
    };
    await run(program, [...args, `shop@${DOMAIN}`, to], { env, timeout: 60_000 });
    const sent = { subject: 'Order 4711', status: 'delivered', tags: { kind: 'order' } };
    await until(async () => (await listed(to))[0]?.status === 'delivered');
    expect(await listed(to)).toEqual([expect.objectContaining(sent)]);
  });
});
