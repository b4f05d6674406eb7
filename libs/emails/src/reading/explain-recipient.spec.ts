import { describe, expect, it } from 'vitest';
import type { WaitReason } from '#libs/mta';
import type { RecipientRow } from '../recipient-row.js';
import { explainRecipient } from './explain-recipient.js';

const now = new Date('2026-11-21T09:00:00Z');
const later = new Date('2026-11-21T09:15:00Z');
const facts = { standing: 'active', domainIsThere: true, now } as const;
const suspended: WaitReason = {
  kind: 'suspended',
  queue: 'yahoo',
  source: null,
  text: 'Mail to yahoo is paused because of what a server there answered (yahoo-deferred).',
  words: '421 4.7.0 [TSS04] deferred',
  mx: 'mta5.am0.yahoodns.net',
};
const row: RecipientRow = {
  ordinal: 0,
  address: 'a@b.example',
  type: 'to',
  status: 'queued',
  attempts: 0,
  due_at: later,
  expires_at: new Date('2026-11-24T09:00:00Z'),
  claimed: false,
  wait: suspended,
  smtp_code: null,
  smtp_enhanced: null,
  smtp_text: null,
  mx: null,
  ip: null,
  tls: null,
};

describe('the explanation of a recipient whose queue is held back', () => {
  it('names the queue, the end, and the words of the server that caused it', () => {
    expect(explainRecipient(row, facts)).toEqual({
      address: 'a@b.example',
      type: 'to',
      state: 'queued',
      waiting_for: 'shaping',
      until: '2026-11-21T09:15:00.000Z',
      because:
        'Mail to yahoo is paused because of what a server there answered (yahoo-deferred). ' +
        'mta5.am0.yahoodns.net answered: 421 4.7.0 [TSS04] deferred',
      held: {
        kind: 'suspended',
        queue: 'yahoo',
        source: null,
        mx: 'mta5.am0.yahoodns.net',
        words: '421 4.7.0 [TSS04] deferred',
      },
      smtp: null,
      gives_up_at: '2026-11-24T09:00:00.000Z',
    });
  });

  it('is the same for a mail that was tried before, with its own last words beside', () => {
    const tried = { ...row, status: 'deferred', attempts: 1, smtp_code: 450, smtp_text: 'later', mx: 'mx.b' } as const;
    expect(explainRecipient(tried, facts)).toMatchObject({
      waiting_for: 'shaping',
      because: expect.stringContaining('TSS04') as string,
      smtp: { code: 450, text: 'later' },
    });
  });

  it('needs no server where the limit is ours', () => {
    const text = 'Mail to google is limited to 1800 per minute; it goes when its turn comes.';
    const wait = { ...suspended, kind: 'rate', text, words: null, mx: null } as const;
    expect(explainRecipient({ ...row, wait }, facts).because).toBe(text);
  });

  it('waits for a worker once it is due, and for the account before all else', () => {
    expect(explainRecipient({ ...row, due_at: now }, facts)).toMatchObject({ waiting_for: 'worker', held: null });
    expect(explainRecipient(row, { ...facts, standing: 'overdue' })).toMatchObject({
      waiting_for: 'account',
      held: null,
    });
  });
});
