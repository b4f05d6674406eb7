import { readFileSync } from 'node:fs';

/** A row of the table of errors in `docs/resend.md`. */
export interface ResendErrorRow {
  status: number;
  name: string;
  python: string;
  rust: string;
}

const PAGE = new URL('../../../docs/resend.md', import.meta.url);

export const RESEND_ERRORS: ResendErrorRow[] = readFileSync(PAGE, 'utf8')
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim().replaceAll('`', '')))
  .filter(([, , status]) => /^[45]\d\d$/.test(status ?? ''))
  .map(([, , status, name, python, rust]) => ({ status: Number(status), name, python, rust }));
