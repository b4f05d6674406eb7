import type { AddressErasure, ErasedBatch } from '#libs/contracts';
import type { Queryable } from '#libs/persistence';

/** Keys that one batch reads. */
const SCANNED = 5_000;
/** Neither scopes nor keys contain it. */
const SEPARATOR = '\n';

/** The scopes of an account begin with its id and a colon; the semicolon is the character after it. */
const NEXT_ANSWERS = `
  SELECT scope, key, CASE WHEN strpos(response::text, '@') > 0 THEN response END AS response FROM idempotency_keys
   WHERE scope >= $1 || ':' AND scope < $1 || ';' AND (scope, key) > ($2, $3) ORDER BY scope, key LIMIT $4`;

interface Answer {
  scope: string;
  key: string;
  /** Null: it has no address. */
  response: unknown;
}

/** Replaces an erased address in the answers that are kept for repeated requests, behind the key in `cursor` ('' for the beginning). */
export async function eraseStoredAnswers(db: Queryable, erasure: AddressErasure, cursor: string): Promise<ErasedBatch> {
  const [scopeBefore = '', keyBefore = ''] = cursor.split(SEPARATOR);
  const { rows } = await db.query<Answer>(NEXT_ANSWERS, [erasure.accountId, scopeBefore, keyBefore, SCANNED]);
  let erased = 0;
  for (const { scope, key, response } of rows) {
    const after = JSON.stringify(erasure.rewriteJson(response));
    if (after === JSON.stringify(response)) continue;
    await db.query('UPDATE idempotency_keys SET response = $3 WHERE scope = $1 AND key = $2', [scope, key, after]);
    erased += 1;
  }
  const last = rows.at(-1);
  return { rows: erased, cursor: rows.length < SCANNED || !last ? null : `${last.scope}${SEPARATOR}${last.key}` };
}
