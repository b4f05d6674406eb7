import { afterAll, beforeAll, expect, it } from 'vitest';
import { searchKey } from '#libs/emails';
import { normaliseAddress } from '#libs/mime';
import { UNICODE_FORMS } from '../../../libs/persistence/src/migrations/0020-unicode-forms.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

let db: OpenTestDatabase;
beforeAll(async () => {
  db = await createTestDatabase();
});
afterAll(() => db?.close());

const JOSE = 'josé@example.com';
const VIET = 'việt@example.com';
/** Neither composed nor decomposed throughout. */
const MIXED = 'viê\u0323t@example.com';
const nfd = (text: string) => text.normalize('NFD');
const rows = async <R>(sql: string, ...values: unknown[]) => (await db.database.query<R>(sql, values)).rows;

async function suppress(...entries: [id: string, address: string, origin: string, expires: string | null][]) {
  for (const [at, [id, address, origin, expires]] of entries.entries())
    await rows(
      `INSERT INTO suppressions (id, account_id, address, origin, expires_at, created_at)
       VALUES ($1, 'acc_1', $2, $3, $4, now() + $5 * interval '1 second')`,
      id,
      address,
      origin,
      expires,
      at,
    );
}

async function convert(): Promise<void> {
  for (const statement of UNICODE_FORMS.statements) await rows(statement);
}

it('merges entries of one address and keeps the strongest, of equal ones the oldest', async () => {
  await suppress(
    ['sup_1', nfd(JOSE), 'manual', '2030-01-01T00:00:00Z'],
    ['sup_2', JOSE, 'bounce', null],
    ['sup_3', VIET, 'manual', null],
    ['sup_4', nfd(VIET), 'complaint', null],
    ['sup_5', MIXED, 'bounce', null],
    ['sup_6', nfd('한글@example.com'), 'bounce', null],
    ['sup_7', '한글@example.com', 'bounce', null],
    ['sup_8', 'ada@example.com', 'bounce', null],
    ['sup_9', nfd('é@example.com'), 'bounce', null],
  );
  await convert();
  expect(await rows('SELECT id, address, origin FROM suppressions ORDER BY id')).toEqual([
    { id: 'sup_2', address: JOSE, origin: 'bounce' },
    { id: 'sup_4', address: VIET, origin: 'complaint' },
    { id: 'sup_6', address: '한글@example.com', origin: 'bounce' },
    { id: 'sup_8', address: 'ada@example.com', origin: 'bounce' },
    { id: 'sup_9', address: 'é@example.com', origin: 'bounce' },
  ]);
  await convert();
  expect(await rows('SELECT id FROM suppressions')).toHaveLength(5);
});

it('computes the keys of recipients as accepted messages have them, and keeps the address as it was sent', async () => {
  const addresses = [JOSE, nfd('JoSÉ@example.com'), MIXED, 'ada@example.com', nfd('한글@example.com')];
  await rows(
    `INSERT INTO emails (id, account_id, domain_id, mode, source, status, last_event, sender, sender_address, header_to, header_cc,
                         header_bcc, reply_to, subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at)
     VALUES ('em_1', 'acc_1', 'dom_1', 'live', 'api', 'delivered', 'delivered', 'x', $1, '{}', '{}', '{}', '{}', 's', '{}', 'm', 1,
             5, 1, now(), now())`,
    nfd(JOSE),
  );
  for (const [ordinal, address] of addresses.entries())
    await rows(
      `INSERT INTO recipients (email_id, ordinal, address, domain, type, status, expires_at, search_key)
       VALUES ('em_1', $1, $2, 'example.com', 'to', 'delivered', now(), $3)`,
      ordinal,
      address,
      address === address.normalize('NFC') ? searchKey('acc_1', normaliseAddress(address)) : 0,
    );
  await convert();
  const stored = await rows<{ address: string; key: string }>(
    'SELECT address, search_key::text AS key FROM recipients ORDER BY ordinal',
  );
  expect(stored.map(({ address }) => address)).toEqual(addresses);
  expect(stored.map(({ key }) => key)).toEqual(addresses.map((one) => searchKey('acc_1', normaliseAddress(one))));
  expect(await rows('SELECT sender_address AS address FROM emails')).toEqual([{ address: JOSE }]);
});

it('gives one user the address and never merges two', async () => {
  for (const [id, email] of [
    ['usr_1', nfd(JOSE)],
    ['usr_2', JOSE],
    ['usr_3', nfd(VIET)],
    ['usr_4', MIXED],
  ])
    await rows('INSERT INTO users (id, email) VALUES ($1, $2)', id, email);
  await convert();
  expect(await rows('SELECT id, email FROM users ORDER BY id')).toEqual([
    { id: 'usr_1', email: nfd(JOSE) },
    { id: 'usr_2', email: JOSE },
    { id: 'usr_3', email: VIET },
    { id: 'usr_4', email: MIXED },
  ]);
});
