import { cpSync, mkdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import {
  BIG,
  CLIENTS,
  fetched,
  pythonWithPackages,
  requireProgram,
  run,
  TOOLS,
} from '../support/rest/client-builds.js';

const DOCUMENT = new URL('../../openapi.json', import.meta.url).pathname;
const OAPI_CODEGEN = 'github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2';

/** A program and its arguments. */
export type Command = [string, ...string[]];

/** A copy of a folder of `test/ecosystem/clients`, in which a client can be generated. */
function copyOf(name: string): string {
  const folder = join(TOOLS, name);
  mkdirSync(folder, { recursive: true });
  cpSync(join(CLIENTS, name), folder, { recursive: true });
  return folder;
}

/** Types by openapi-typescript, strictly compiled, for openapi-fetch. */
export async function generatedTypeScript(): Promise<Command> {
  const cwd = copyOf('generated-typescript');
  await fetched('npm', ['ci', '--ignore-scripts'], { cwd });
  const tool = (file: string, ...args: string[]) =>
    run(process.execPath, [join('node_modules', file), ...args], { cwd });
  await tool('openapi-typescript/bin/cli.js', DOCUMENT, '-o', 'schema.d.ts');
  await tool('typescript/bin/tsc', '-p', 'tsconfig.json');
  return [process.execPath, join(cwd, 'out', 'send.js')];
}

/** A client by oapi-codegen. */
export async function generatedGo(): Promise<Command> {
  requireProgram('go', 'version');
  const cwd = copyOf('generated-go');
  const bin = join(TOOLS, 'bin');
  await fetched('go', ['install', OAPI_CODEGEN], { cwd: TOOLS, env: { ...process.env, GOBIN: bin, GOFLAGS: '' } });
  await fetched('go', ['mod', 'download'], { cwd });
  const options = ['-generate', 'types,client', '-package', 'main', '-o', 'client.gen.go'];
  await run(join(bin, 'oapi-codegen'), [...options, DOCUMENT], { cwd, ...BIG });
  await run('go', ['build', '-buildvcs=false', '-o', 'send', '.'], { cwd, ...BIG });
  return [join(cwd, 'send')];
}

/** A client by openapi-python-client. Its parts that CSV and messages need are left out, as it says itself. */
export async function generatedPython(): Promise<Command> {
  const bin = await pythonWithPackages('generated-python-packages', ['openapi-python-client==0.29.1']);
  const cwd = copyOf('generated-python');
  const out = join(cwd, 'postloft');
  rmSync(out, { recursive: true, force: true });
  const options = ['generate', '--path', DOCUMENT, '--output-path', out, '--meta', 'none'];
  await run(join(bin, 'openapi-python-client'), options, { cwd, ...BIG });
  // All modules, not only those that the program imports.
  await run(join(bin, 'python'), ['-m', 'compileall', '-q', out], BIG);
  return [join(bin, 'python'), join(cwd, 'send.py'), cwd];
}
