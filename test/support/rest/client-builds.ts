import { execFile, spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';

const ROOT = new URL('../../../', import.meta.url).pathname;
/** Packages and programs built from them, kept between runs. */
export const TOOLS = join(ROOT, '.tools', 'clients');
export const CLIENTS = join(ROOT, 'test', 'ecosystem', 'clients');

export const run = promisify(execFile);
export const BIG = { maxBuffer: 64 * 1024 * 1024 };

/** Why a client cannot be tried here. */
export class ToolchainMissing extends Error {}

/** @throws ToolchainMissing when the program does not run */
export function requireProgram(...[program, ...args]: [string, ...string[]]): void {
  if (spawnSync(program, args).status !== 0) throw new ToolchainMissing(`${program} is not installed`);
}

/** Fetches packages from a registry. @throws ToolchainMissing with the reason when the registry does not serve them */
export async function fetched(program: string, args: string[], options: object): Promise<void> {
  await run(program, args, { ...BIG, ...options }).catch((error: Error & { stderr?: string }) => {
    const reason = error.stderr?.trim().split('\n').at(-1) ?? error.message;
    throw new ToolchainMissing(`the packages cannot be fetched: ${reason}`);
  });
}

/** A Go program of this folder. */
export async function goProgram(name: string): Promise<string> {
  requireProgram('go', 'version');
  const [cwd, out] = [join(CLIENTS, name), join(TOOLS, name)];
  await fetched('go', ['mod', 'download'], { cwd });
  await run('go', ['build', '-buildvcs=false', '-o', out, '.'], { cwd, ...BIG });
  return out;
}

/** A Rust program of this folder. */
export async function rustProgram(name: string, binary: string): Promise<string> {
  requireProgram('cargo', '--version');
  const [cwd, target] = [join(CLIENTS, name), join(TOOLS, name)];
  await fetched('cargo', ['fetch', '--locked'], { cwd });
  await run('cargo', ['build', '--locked', '--quiet', '--target-dir', target], { cwd, ...BIG });
  return join(target, 'debug', binary);
}

/** The class path of a Java program of this folder, compiled with its dependencies. */
export async function javaClassPath(name: string): Promise<string> {
  requireProgram('javac', '-version');
  requireProgram('mvn', '--version');
  const [cwd, out] = [join(CLIENTS, name), join(TOOLS, name)];
  const jars = join(out, 'jars');
  await fetched('mvn', ['-q', '-B', 'dependency:copy-dependencies', `-DoutputDirectory=${jars}`], { cwd });
  const classes = join(out, 'classes');
  await run('javac', ['-cp', `${jars}/*`, '-d', classes, 'src/main/java/ResendCalls.java'], { cwd, ...BIG });
  return `${classes}:${jars}/*`;
}

/** A Python of its own with these packages. */
export async function pythonWithPackages(name: string, packages: string[]): Promise<string> {
  requireProgram('python3', '-m', 'venv', '--help');
  const venv = join(TOOLS, name);
  await run('python3', ['-m', 'venv', venv]);
  await fetched(join(venv, 'bin/pip'), ['install', '-q', '--disable-pip-version-check', ...packages], {});
  return join(venv, 'bin');
}

/** The result of a build; null with the reason for the report when it is not possible here. */
export async function built<T>(skip: (note: string) => unknown, build: () => Promise<T>): Promise<T | null> {
  try {
    return await build();
  } catch (error) {
    if (!(error instanceof ToolchainMissing)) throw error;
    skip(error.message);
    return null;
  }
}
