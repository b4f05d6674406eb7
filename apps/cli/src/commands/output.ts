import type { CommandOutput } from './command.js';

/** Characters that control a terminal or change the direction of writing, except line ends and tabs. */
const CONTROLS = /[^\P{Cc}\n\t]|[\p{Zl}\p{Zp}\u061c\u200b\u200e\u200f\u202a-\u202e\u2060-\u2069\ufeff]/gu;

/** Text of others, without effect on a terminal. */
export const forTerminal = (text: string): string => text.replace(CONTROLS, '?');

/** Rows as aligned columns under their names. */
export function table(rows: readonly Readonly<Record<string, string>>[]): string {
  if (rows.length === 0) return '(none)';
  const names = Object.keys(rows[0]);
  const lines = [names, ...rows.map((row) => names.map((name) => row[name]))];
  const widths = names.map((_, i) => Math.max(...lines.map((line) => line[i].length)));
  return lines
    .map((line) =>
      line
        .map((cell, i) => cell.padEnd(widths[i]))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

export async function printOutput({ json, text, raw, isWritten }: CommandOutput, asJson: boolean): Promise<void> {
  if (isWritten === true) return;
  if (asJson) console.log(JSON.stringify(json));
  else if (raw === undefined || process.stdout.isTTY) console.log(text);
  else await writeOctets(raw);
}

/** Waits until everything is written, since the process ends afterwards. A reader may close the pipe early. */
function writeOctets(raw: Buffer): Promise<void> {
  return new Promise((resolve) => {
    process.stdout.once('error', () => resolve());
    process.stdout.write(raw, () => resolve());
  });
}
