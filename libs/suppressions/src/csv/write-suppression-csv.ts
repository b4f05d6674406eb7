import { stringify } from 'csv-stringify/sync';
import type { SuppressionView } from '../suppression-view.js';

/** Those that `readSuppressionCsv` reads come first. */
const COLUMNS = ['email', 'reason', 'origin', 'expires_at', 'domain_id', 'id', 'source_id', 'created_at'] as const;

/**
 * The entries as a CSV file (RFC 4180), page by page. A cell that a spreadsheet would take for a formula begins with an
 * apostrophe (promises S-58); the import takes it away again.
 */
export async function* writeSuppressionCsv(pages: AsyncIterable<SuppressionView[]>): AsyncGenerator<string> {
  const options = { columns: [...COLUMNS], escape_formulas: true, record_delimiter: '\r\n' as const };
  yield stringify([], { ...options, header: true });
  for await (const page of pages) yield stringify(page, options);
}
