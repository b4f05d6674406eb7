import type { RecipientRow } from '#libs/emails';
import { describe, expect, it } from 'vitest';
import type { WaitReason } from '#libs/mta';
import { explainRecipient } from './explain-recipient.js';

const now = new Date('2026-11-21T09:00:00Z');
const later = new Date('2026-11-21T09:15:00Z');
const facts = { taken: null, standing: 'active', pause: null, domainWasRemoved: false, ahead: null, now } as const;
const suspended: WaitReason = {
  kind: 'suspended',
  queue: 'yahoo',
  source: null,
  text: 'Delivery to yahoo is paused because a server there says that our emails are deferred because of complaints or an unusual volume.',
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
  is_bulk: false,
  wait_reason: suspended,
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
        'Delivery to yahoo is paused because a server there says that our emails are deferred because of complaints or an unusual volume. ' +
        'mta5.am0.yahoodns.net answered: 421 4.7.0 [TSS04] deferred',
      ahead: null,
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
    const text = 'Delivery to google is limited to 1800 per minute, and this email waits for its turn.';
    const wait_reason = { ...suspended, kind: 'rate', text, words: null, mx: null } as const;
    expect(explainRecipient({ ...row, wait_reason }, facts).because).toBe(text);
  });

  it('waits for a worker once it is due, and for the account before all else', () => {
    expect(explainRecipient({ ...row, due_at: now }, facts)).toMatchObject({ waiting_for: 'worker', held: null });
    expect(explainRecipient(row, { ...facts, standing: 'overdue' })).toMatchObject({
      waiting_for: 'account',
      held: null,
    });
  });
});

describe('the explanation of a recipient that is due', () => {
  const due = (agoMs: number): RecipientRow => ({ ...row, wait_reason: null, due_at: new Date(now.getTime() - agoMs) });

  it('promises the next free worker only while that is likely', () => {
    expect(explainRecipient(due(2_000), facts)).toMatchObject({
      waiting_for: 'worker',
      because: 'It is due; the next free worker takes it.',
    });
    expect(explainRecipient(due(60_000), facts)).toMatchObject({
      waiting_for: 'worker',
      because:
        'It has been due since 2026-11-21T08:59:00.000Z. Emails of other accounts to b.example take turns with those of this ' +
        'account, the servers there are slow, or no delivery program runs.',
    });
  });

  it.each([
    [0, ''],
    [1, ' One recipient of this account at b.example comes before it.'],
    [12, ' 12 recipients of this account at b.example come before it.'],
    [10_000, ' At least 10000 recipients of this account at b.example come before it.'],
  ])('says that %i recipients of the account come before it', (ahead, words) => {
    expect(explainRecipient(due(2_000), { ...facts, ahead })).toMatchObject({
      ahead,
      because: `It is due; the next free worker takes it.${words}`,
    });
  });

  it('counts nothing before a recipient that waits for something else', () => {
    expect(explainRecipient(row, { ...facts, ahead: 3 })).toMatchObject({ waiting_for: 'shaping', ahead: null });
    const blocked = explainRecipient(due(2_000), { ...facts, standing: 'blocked', ahead: 3 });
    expect(blocked).toMatchObject({ waiting_for: 'account', ahead: null });
  });
});

describe('the explanation of a recipient that no server refused', () => {
  const bounced = { ...row, status: 'bounced', attempts: 1, wait_reason: null } as const;
  const because = (words: Partial<RecipientRow>): string => explainRecipient({ ...bounced, ...words }, facts).because;

  it('puts no words into the mouth of a server that was never asked', () => {
    const text = 'the domain b.example takes no mail (null MX)';
    expect(because({ smtp_code: 556, smtp_enhanced: '5.1.10', smtp_text: text })).toBe(
      'It cannot be delivered: 556 5.1.10 the domain b.example takes no mail (null MX)',
    );
    expect(because({ smtp_enhanced: '5.1.2', smtp_text: 'the domain b.example does not exist' })).toBe(
      'It cannot be delivered: the domain b.example does not exist',
    );
  });

  it('names the server that could not have taken it', () => {
    const text = 'the mail has 1788 octets, the server takes 1000';
    expect(because({ smtp_enhanced: '5.3.4', smtp_text: text, mx: 'mx.b' })).toBe(
      'It cannot be delivered: mx.b: the mail has 1788 octets, the server takes 1000',
    );
  });

  it('names the server once where our own words begin with it', () => {
    const waits = { ...bounced, status: 'deferred', smtp_text: 'mx.b (192.0.2.1): it offers no STARTTLS', mx: 'mx.b' };
    expect(explainRecipient(waits as RecipientRow, facts).because).toBe('mx.b (192.0.2.1): it offers no STARTTLS');
  });
});
