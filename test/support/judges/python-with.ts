import { spawnSync } from 'node:child_process';

/** Debian's packages belong to its own Python; another one may come first on PATH. */
const CANDIDATES = ['python3', '/usr/bin/python3'];

/**
 * A Python that has these modules, or null where there is none. With POSTLOFT_REQUIRE_ENGINES=1 there must be one.
 *
 * @throws when one is required and none is there.
 */
export function pythonWith(...modules: string[]): string | null {
  const program = `import ${modules.join(', ')}`;
  const found = CANDIDATES.find((candidate) => spawnSync(candidate, ['-c', program]).status === 0);
  if (found !== undefined) return found;
  if (process.env['POSTLOFT_REQUIRE_ENGINES'] === '1') throw new Error(`no Python has ${modules.join(', ')}`);
  return null;
}
