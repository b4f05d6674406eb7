import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { newId } from '#libs/contracts';
import type { Submission } from '#libs/emails';
import { draftOf, rowsOf } from '../../../libs/emails/src/intake/accept-draft.js';
import type { AcceptRequest } from '../../../libs/emails/src/intake/accept-request.js';
import { contentsInDatabase } from '../../../libs/emails/src/message/content/stored-contents.js';
import { AcceptWriter } from '../../../libs/emails/src/intake/accept-writer.js';
import { distinctRecipients } from '../../../libs/emails/src/intake/recipients.js';
import { Allowances } from '#libs/accounts';
import { Log } from '#libs/kernel';
import { openQueueFixture, submission, type QueueFixture } from '../../support/delivery/queue-fixture.js';

interface Given {
  local: string[];
  tags: Record<string, string>;
  text: string;
  scheduled: boolean;
  suppressed: boolean;
  hasKey: boolean;
}

const given: fc.Arbitrary<Given> = fc.record({
  local: fc.uniqueArray(fc.stringMatching(/^[a-z]{1,8}$/), { minLength: 1, maxLength: 4 }),
  tags: fc.dictionary(fc.stringMatching(/^[a-z]{1,8}$/), fc.stringMatching(/^[a-z]{1,8}$/), { maxKeys: 3 }),
  text: fc.string({ maxLength: 50 }).map((value) => value.replaceAll('\0', '')),
  scheduled: fc.boolean(),
  suppressed: fc.boolean(),
  hasKey: fc.boolean(),
});

describe('the two ways to commit a group of accepts', () => {
  let fixture: QueueFixture;
  let writer: AcceptWriter;
  beforeAll(async () => {
    fixture = await openQueueFixture();
    const { database, config } = fixture.db;
    writer = new AcceptWriter(database, new Allowances(database, config), contentsInDatabase(database, Log.quiet()));
  });
  afterAll(() => fixture?.close());

  function requestOf({ local, tags, text, scheduled, suppressed, hasKey }: Given): AcceptRequest {
    const one: Submission = submission(fixture.accountId, {
      toAddresses: local.map((name) => `${name}@recipient.example`),
      tags,
      content: { format: 'parts', text, headers: [], attachments: [] },
      scheduledAt: scheduled ? new Date('2027-01-01T00:00:00Z') : null,
    });
    const recipients = distinctRecipients(one).map((recipient, i) => ({
      ...recipient,
      suppressed: suppressed && i === 0 ? ('bounce' as const) : null,
    }));
    const draft = draftOf(one, {
      id: newId('em'),
      domain: { id: 'dom_1', envelope: 'shared' },
      tracking: null,
      recipients,
      lifetimeMs: 3_600_000,
    });
    return {
      accountId: fixture.accountId,
      emails: [rowsOf(draft, recipients.length, null)],
      units: [recipients.length],
      limit: null,
      partial: false,
      idempotency: hasKey ? { scope: newId('key'), key: 'once', bodyHash: Buffer.alloc(32, 1) } : null,
      answer: () => ({ id: draft.email.id }),
    };
  }

  /** All rows that a request wrote, without ids and times. */
  async function facts({ emails: [{ id }], idempotency }: AcceptRequest): Promise<unknown> {
    const { rows } = await fixture.db.database.query<{ facts: object }>(
      `SELECT jsonb_build_object(
         'email', (SELECT to_jsonb(e) - '{id,created_at,updated_at,message_id}'::text[] FROM emails e WHERE e.id = $1),
         'recipients', (SELECT jsonb_agg(to_jsonb(r) - '{email_id,due_at,expires_at}'::text[] || jsonb_build_object('due', r.due_at IS NULL)
                                         ORDER BY r.ordinal) FROM recipients r WHERE r.email_id = $1),
         'content', (SELECT to_jsonb(c) - '{email_id}'::text[] FROM email_contents c WHERE c.email_id = $1),
         'tags', (SELECT jsonb_agg(to_jsonb(t) - '{email_id}'::text[] ORDER BY t.key) FROM email_tags t WHERE t.email_id = $1),
         'keys', (SELECT count(*) FROM idempotency_keys k WHERE k.scope = $2 AND k.response->>'id' = $1),
         'events', (SELECT jsonb_agg(jsonb_build_object('type', u.type, 'sequence', u.sequence,
                                      'data', u.data::jsonb - '{id,email_id,created_at,message_id}'::text[]) ORDER BY u.sequence)
                    FROM outbox o, unnest(o.key, o.type, o.sequence, o.data) AS u(key, type, sequence, data)
                    WHERE u.key = $1)) AS facts`,
      [id, idempotency?.scope ?? null],
    );
    return rows[0].facts;
  }

  it('write the same rows and events', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(given, { minLength: 1, maxLength: 4 }), async (group) => {
        const fast = group.map(requestOf);
        expect(await writer.commit(fast)).toMatchObject(fast.map(() => ({ replayed: false })));
        // A second request with the key of another takes the whole group to the general way; it is answered again.
        const general = group.map(requestOf);
        const twice = { ...requestOf(group[0]), idempotency: { scope: newId('key'), key: 'twice', bodyHash: null } };
        const results = await writer.commit([
          ...general,
          twice,
          { ...requestOf(group[0]), idempotency: twice.idempotency },
        ]);
        expect(results.map((result) => 'replayed' in result && result.replayed)).toEqual([
          ...general.map(() => false),
          false,
          true,
        ]);
        expect(await Promise.all(fast.map(facts))).toEqual(await Promise.all(general.map(facts)));
      }),
      { numRuns: 25 },
    );
  });
});
