import { afterAll, beforeAll, expect, it } from 'vitest';
import { InboundStore } from '#libs/inbound';
import type { Administration } from '../../../apps/cli/src/commands/administration.js';
import { parseCommandLine } from '../../../apps/cli/src/commands/parse-command-line.js';
import { createTestDatabase, type OpenTestDatabase } from '../../support/persistence/test-database.js';

const ESCAPES = 'red \u001b[31m bell \u0007 back \u0008 turned \u202e C1 \u009b31m null \u0000';

let db: OpenTestDatabase;
let store: InboundStore;
beforeAll(async () => {
  db = await createTestDatabase();
  store = new InboundStore(db.database);
});
afterAll(() => db?.close());

const run = (line: string) => {
  const invocation = parseCommandLine(line.split(' '));
  if (invocation.kind !== 'with_database') throw new Error(invocation.kind);
  return invocation.run({ inbound: store } as unknown as Administration);
};
const keep = (over: { subject?: string; message?: string; verdict?: string; note?: string } = {}) =>
  store.keep({
    mail_from: '',
    rcpt_to: ['postmaster@mail.example', ESCAPES],
    remote_ip: '192.0.2.1',
    helo: `mx.rcpt.example ${ESCAPES}`,
    subject: over.subject ?? null,
    verdict: over.verdict ?? 'kept',
    note: over.note ?? null,
    reported: [`ada@rcpt.example ${ESCAPES}`],
    email_id: null,
    message: Buffer.from(over.message ?? 'Subject: hello\r\n\r\nGrüße\tto you\r\n'),
  });

it('lists the newest first, up to the limit', async () => {
  expect((await run('inbound')).text).toBe('(none)');
  const ids = [await keep(), await keep(), await keep()];
  const { json, text } = await run('inbound --limit 2');
  expect((json as { id: string }[]).map(({ id }) => id)).toEqual([ids[2], ids[1]]);
  expect(text.split('\n')[0]).toMatch(/^id +time +from +client +to +subject +reported +verdict +note$/);
  expect(text.split('\n')[1]).toMatch(/<> .*192\.0\.2\.1 \(mx\.rcpt\.example .* ada@rcpt\.example /);
});

it('lists the messages of one verdict', async () => {
  const id = await keep({ verdict: 'unproved', note: 'not proved to come from the mail system of rcpt.example' });
  await keep();
  const { json, text } = await run('inbound --verdict unproved');
  expect(json).toMatchObject([
    {
      id,
      verdict: 'unproved',
      note: 'not proved to come from the mail system of rcpt.example',
      remote_ip: '192.0.2.1',
      reported: [expect.stringContaining('ada@rcpt.example') as unknown],
    },
  ]);
  expect(text).toContain('not proved to come from');
  expect(() => run('inbound --verdict forged')).toThrow(/--verdict must be one of applied, .*unproved, kept\./);
});

it('prints no control characters', async () => {
  const id = await keep({ subject: `${ESCAPES} ${'x'.repeat(500)}`, message: `Subject: ${ESCAPES}\r\n\r\n${ESCAPES}` });
  const shown = `${(await run('inbound')).text}${(await run(`inbound show ${id}`)).text}`;
  expect(shown.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
  expect(Math.max(...(await run('inbound')).text.split('\n').map((line) => line.length))).toBeLessThan(400);
});

it('prints the exact octets of a message, and deletes it', async () => {
  const id = await keep();
  const { raw, text, json } = await run(`inbound show ${id}`);
  expect(raw?.toString()).toBe('Subject: hello\r\n\r\nGrüße\tto you\r\n');
  expect(text).toBe('Subject: hello\n\nGrüße\tto you\n');
  expect(json).toEqual({ id, raw: raw?.toString('base64') });
  expect((await run(`inbound delete ${id}`)).json).toEqual({ id, deleted: true });
  await expect(run(`inbound delete ${id}`)).rejects.toThrow(`There is no message ${id}.`);
  await expect(run(`inbound show ${id}`)).rejects.toThrow(`There is no message ${id}.`);
});
