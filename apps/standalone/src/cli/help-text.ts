import type { Command } from './command.js';

/** All commands with a sentence each. */
export function helpText(commands: readonly Command[]): string {
  const entries = commands.flatMap((command) => {
    const words = [command.name, ...command.positionals.map((name) => `<${name}>`), command.synopsis ?? ''];
    return [`  ${words.join(' ').trimEnd()}`, `      ${command.summary}`];
  });
  return [
    'Administration of Postloft without the dashboard.',
    '',
    'Usage: npm run -s cli -- <command> [options] [--json]',
    '',
    ...entries,
    '',
    '--json prints the answer as one line of JSON. Changes count in running programs within a second.',
    'Works on DATABASE_URL where that is set, else on the database in DATA_DIR (./data), running or not.',
    'Exit codes: 0 done, 1 failed, 2 not understood.',
  ].join('\n');
}
