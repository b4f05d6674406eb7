import { describe, expect, it } from 'vitest';
import { emailShapes } from '#libs/emails';
import type { Queryable } from '#libs/persistence';
import { insertEmails } from '../../../libs/emails/src/intake/insert-emails.js';
import { productSources, stringLiterals, writesIn } from '../../support/persistence/sql-statements.js';

const columns = emailShapes.email.columns.split(', ');
/** Computed by the database. */
const GENERATED = 'state';

/** Accept, claim and settle are written by hand: their columns are compared here. */
describe('the columns of an email', () => {
  it('are all written when it is accepted, but for the time of its delivery', async () => {
    const statements: string[] = [];
    const db = {
      query: ({ text }: { text: string }) => {
        statements.push(text);
        return Promise.resolve({ rows: [], rowCount: 0 });
      },
    } as unknown as Queryable;
    const content = { format: 'parts' as const, body: Buffer.alloc(0) };
    await insertEmails(db, [{ id: 'em_1', email: {}, recipients: [], tags: [], events: [], content, place: null }]);
    const [, written] = /INSERT INTO emails \(([^)]+)\)/.exec(statements[0]) ?? [];
    expect([...written.split(', '), 'delivered_at'].sort()).toEqual([...columns].sort());
  });

  it('are those that other statements set and read', () => {
    const literals = stringLiterals(productSources());
    const set = literals
      .flatMap(writesIn)
      .filter(({ table, kind }) => table === 'emails' && kind === 'update')
      .flatMap((write) => write.columns);
    const read = literals
      .filter(({ text }) => /\b(?:FROM|JOIN|UPDATE)\s+emails\s+e\b/.test(text))
      .flatMap(({ text }) => [...text.matchAll(/\be\.([a-z_]+)/g)].map(([, column]) => column));
    expect(set.length).toBeGreaterThan(10);
    expect(read.length).toBeGreaterThan(50);
    const unknown = [...set, ...read].filter((column) => column !== GENERATED && !columns.includes(column));
    expect([...new Set(unknown)]).toEqual([]);
  });
});
