/** Rows under their column names, aligned, for a terminal. */
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
