import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { EMAIL_STATUSES, LAST_EVENTS, type Page, type Visibility, wholeAccount } from '#libs/contracts';
import { SendingDomains } from '#libs/domains';
import type { SendingDomain } from '../../../libs/domains/src/active-domains.js';
import { EmailList, type EmailFilter } from '#libs/emails';
import type { EmailSummary } from '../../../libs/emails/src/email.resource.js';
import type { EmailDto as EmailView } from '../../../apps/gateway/src/rest/emails/emails.dto.js';
import { Database } from '#libs/persistence';
import { startGatewayApp, type GatewayApp } from '../../support/fixtures/gateway-app.js';

/** Mails lie 3 hours apart, so that they fill some dozens of the slices of time by which subjects are looked up. */
const APART_MS = 3 * 3_600_000;
const MAILS = 120;
const FOREIGN = 20;

const SUBJECTS = [
  'Your order 1',
  'YOUR ORDER 12',
  'Ünfug',
  'ünfug %_\\',
  `${'long '.repeat(14)}A`,
  `${'long '.repeat(14)}b`,
];
const RECIPIENTS = ['one@customer.example', 'Two@Customer.example', 'three@other.example'];
const FROMS = ['orders', 'News'];
const TAGS = [{}, { campaign: 'spring' }, { campaign: 'spring', kind: 'login' }, { kind: 'login' }, { campaign: '' }];

type Filters = Record<string, string>;
interface Account {
  key: string;
  accountId: string;
  domains: SendingDomain[];
}

describe('GET /emails', () => {
  let gateway: GatewayApp;
  let database: Database;
  let ours: Account;
  let theirs: Account;
  /** Newest first, as the unfiltered list gives them. */
  let all: EmailSummary[];
  /** The domains of the recipients of each mail, and those where one waits. */
  let recipients: Map<string, { domains: string[]; waiting: string[] }>;

  beforeAll(async () => {
    gateway = await startGatewayApp();
    database = gateway.app.get(Database);
    [ours, theirs] = [await account(), await account()];
    for (let i = 0; i < MAILS; i++) await send(ours, i);
    for (let i = 0; i < FOREIGN; i++) await send(theirs, i);
    await spreadOverTime();
    await spreadOverStates();
    all = await pages(ours, {}, { limit: 100 });
    recipients = await recipientDomains();
  }, 120_000);
  afterAll(() => gateway?.stop());

  async function account(): Promise<Account> {
    const { accountId, key, domainId, domain } = await gateway.account();
    const domains = gateway.app.get(SendingDomains);
    const second = await domains.addVouched(accountId, `second.${domain}`);
    return {
      key,
      accountId,
      domains: [(await domains.find(wholeAccount(accountId), domainId)) as SendingDomain, second],
    };
  }

  async function send({ key, domains }: Account, i: number): Promise<void> {
    const pick = <T>(from: readonly T[], step: number): T => from[Math.floor(i / step) % from.length];
    const answer = await gateway
      .agent(key)
      .post('/emails')
      .send({
        from: `Shop <${pick(FROMS, 3)}@${pick(domains, 2).name}>`,
        to: [pick(RECIPIENTS, 1), `only${i}@customer.example`],
        ...(i % 4 === 0 ? { cc: pick(RECIPIENTS, 5) } : {}),
        ...(i % 5 === 0 ? { bcc: pick(RECIPIENTS, 7) } : {}),
        subject: pick(SUBJECTS, 1),
        text: 'text',
        tags: pick(TAGS, 2),
        ...(i % 6 === 0 ? { scheduled_at: new Date(Date.now() + 3_600_000).toISOString() } : {}),
      });
    expect(answer.status).toBe(201);
  }

  async function spreadOverTime(): Promise<void> {
    const { rows } = await database.query<{ id: string }>('SELECT id FROM emails ORDER BY id');
    const moved = rows.map(({ id }, i) => {
      const at = Date.now() - (rows.length - i) * APART_MS;
      return { id, to: `em_${at.toString(16).padStart(12, '0')}${id.slice(15)}`, at: new Date(at) };
    });
    const json = JSON.stringify(moved);
    const from = 'FROM json_to_recordset($1::json) AS v(id text, "to" text, at timestamptz)';
    await database.query(`UPDATE emails e SET id = v."to", created_at = v.at ${from} WHERE e.id = v.id`, [json]);
    for (const table of ['recipients', 'email_tags', 'email_contents'])
      await database.query(`UPDATE ${table} t SET email_id = v."to" ${from} WHERE t.email_id = v.id`, [json]);
  }

  /** States of all kinds, some under a claim, some of mails that delivery had in memory. */
  async function spreadOverStates(): Promise<void> {
    await database.query(
      `WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM emails),
            states AS (SELECT id, n, ($1::text[])[1 + n % 10] AS status, ($2::text[])[1 + n % 12] AS last_event FROM numbered WHERE n % 3 > 0),
            r AS (UPDATE recipients r SET status = s.status, attempts = s.n % 2,
                         claimed_by = CASE WHEN s.n % 2 = 0 AND s.n % 7 < 3 AND s.status IN ('scheduled', 'queued', 'sending', 'deferred') THEN 'wrk_some' END
                    FROM states s WHERE r.email_id = s.id AND (r.ordinal = 0 OR s.n % 5 > 0 OR s.status NOT IN ('queued', 'sending', 'deferred')))
       UPDATE emails e SET status = s.status, last_event = s.last_event FROM states s WHERE e.id = s.id`,
      [EMAIL_STATUSES, LAST_EVENTS],
    );
    // A claim that ended without an attempt: as a worker that stops leaves it.
    await database.query(
      `WITH numbered AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM emails),
            e AS (UPDATE emails e SET claimed_on_accept = true,
                         status = CASE WHEN n % 4 = 1 THEN 'delivered' ELSE status END,
                         last_event = CASE WHEN n % 4 = 1 THEN 'delivered' ELSE last_event END
                    FROM numbered WHERE e.id = numbered.id AND n % 2 = 1
                  RETURNING e.id, e.status, e.last_event, n)
       UPDATE recipients r SET fence = 1, attempts = CASE WHEN e.status = 'queued' AND e.last_event = 'queued' THEN 0 ELSE attempts END,
              claimed_by = CASE WHEN e.status = 'queued' AND n % 8 = 3 THEN 'wrk_some' ELSE claimed_by END,
              status = CASE WHEN e.n % 4 = 1 THEN 'delivered' ELSE r.status END,
              due_at = CASE WHEN e.n % 4 = 1 THEN NULL ELSE r.due_at END
         FROM e WHERE r.email_id = e.id`,
    );
    await database.query(
      `UPDATE recipients SET due_at = NULL, is_due = NULL WHERE status NOT IN ('scheduled', 'queued', 'sending', 'deferred')`,
    );
    // One recipient of a mail has an outcome that is worse than waiting.
    await database.query(
      `WITH deferred AS (SELECT id, row_number() OVER (ORDER BY id) AS n FROM emails WHERE status = 'deferred'),
            mixed AS (UPDATE emails SET status = 'bounced', last_event = 'bounced'
                        FROM deferred WHERE emails.id = deferred.id AND deferred.n % 2 = 1 RETURNING emails.id)
       UPDATE recipients r SET status = 'bounced', due_at = NULL, is_due = NULL, claimed_by = NULL
         FROM mixed WHERE r.email_id = mixed.id AND r.ordinal = 0`,
    );
    const { rows } = await database.query<{ status: string; claimed: boolean }>(
      `SELECT DISTINCT e.status, r.claimed_by IS NOT NULL AS claimed
         FROM emails e JOIN recipients r ON r.email_id = e.id WHERE e.state = 'claimed' ORDER BY 1, 2`,
    );
    expect(rows).toEqual([
      { status: 'delivered', claimed: false },
      { status: 'queued', claimed: false },
      { status: 'queued', claimed: true },
    ]);
  }

  async function recipientDomains(): Promise<typeof recipients> {
    const { rows } = await database.query<{ email_id: string; domains: string[]; waiting: string[] }>(
      `SELECT email_id, array_agg(domain) AS domains,
              coalesce(array_agg(domain) FILTER (WHERE due_at IS NOT NULL OR claimed_by IS NOT NULL), '{}') AS waiting
         FROM recipients GROUP BY email_id`,
    );
    expect(rows.some(({ domains, waiting }) => waiting.length > 0 && waiting.length < domains.length)).toBe(true);
    return new Map(rows.map(({ email_id, ...domains }) => [email_id, domains]));
  }

  async function page(of: Account, filters: Filters): Promise<Page<EmailSummary>> {
    const answer = await gateway.agent(of.key).get(`/emails?${new URLSearchParams(filters).toString()}`);
    expect(answer.status, answer.text).toBe(200);
    return answer.body as Page<EmailSummary>;
  }

  /** Every page of a list, from the newest on or from the oldest back. */
  async function pages(
    of: Account,
    filters: Filters,
    { limit, backwards = false }: { limit: number; backwards?: boolean },
  ): Promise<EmailSummary[]> {
    const found: EmailSummary[] = [];
    let cursor: Filters = backwards ? { before: `em_${'0'.repeat(32)}` } : {};
    for (;;) {
      const { data, has_more, next_cursor } = await page(of, { ...filters, ...cursor, limit: String(limit) });
      if (backwards) found.unshift(...data);
      else found.push(...data);
      expect(has_more).toBe(next_cursor !== null);
      if (next_cursor === null) return found;
      expect(data).toHaveLength(limit);
      cursor = { [backwards ? 'before' : 'after']: next_cursor };
    }
  }

  const bare = (written: string) => (/<([^<>]+)>$/.exec(written)?.[1] ?? written).toLowerCase();

  /** One recipient fulfils both filters. */
  function recipientMatches({ id }: EmailSummary, { recipient_domain, waiting }: Filters): boolean {
    const of = recipients.get(id);
    const domains = (waiting === undefined ? of?.domains : of?.waiting) ?? [];
    return recipient_domain === undefined ? domains.length > 0 : domains.includes(recipient_domain.toLowerCase());
  }

  type Model = (mail: EmailSummary, value: string, filters: Filters) => boolean;
  /** What each filter says of a mail, without any index. */
  const MODELS: Record<string, Model> = {
    status: (mail, value) => mail.status === value,
    last_event: (mail, value) => mail.last_event === value,
    to: ({ to, cc, bcc }, value) => [...to, ...cc, ...bcc].some((address) => bare(address) === value.toLowerCase()),
    recipient_domain: (mail, _, filters) => recipientMatches(mail, filters),
    waiting: (mail, _, filters) => recipientMatches(mail, filters),
    from: (mail, value) => bare(mail.from) === value.toLowerCase(),
    domain: (mail, value) =>
      ours.domains.some(({ id, name }) => id === mail.domain_id && (id === value || name === value.toLowerCase())),
    subject: (mail, value) => mail.subject.toLowerCase().startsWith(value.toLowerCase()),
    search: ({ subject, from, to, cc, bcc, tags }, value) =>
      [subject, from, ...to, ...cc, ...bcc, ...Object.values(tags)].some((text) =>
        text.toLowerCase().includes(value.toLowerCase()),
      ),
    created_after: (mail, value) => mail.created_at >= value,
    created_before: (mail, value) => mail.created_at < value,
    scheduled: (mail) => mail.scheduled_at !== null,
  };

  const matches = (mail: EmailSummary, filters: Filters): boolean =>
    Object.entries(filters).every(([name, value]) => {
      const tag = /^tags\[(.+)\]$/.exec(name)?.[1];
      return tag === undefined ? MODELS[name](mail, value, filters) : mail.tags[tag] === value;
    });

  const oneOf = <T>(...values: T[]) => fc.constantFrom(...values);
  const optional = { requiredKeys: [] as never[] };
  const anyFilters = () =>
    fc.record<Filters>(
      {
        status: oneOf(...EMAIL_STATUSES),
        last_event: oneOf(...LAST_EVENTS),
        to: oneOf(...RECIPIENTS, 'TWO@customer.example', 'only7@customer.example', 'nobody@customer.example'),
        recipient_domain: oneOf('customer.example', 'Other.Example', 'nobody.example'),
        waiting: fc.constant('true'),
        from: oneOf(...FROMS.flatMap((name) => ours.domains.map((domain) => `${name}@${domain.name}`)), 'x@y.example'),
        domain: oneOf(
          ...ours.domains.flatMap(({ id, name }) => [id, name.toUpperCase()]),
          'gone.example',
          theirs.domains[0].id,
        ),
        subject: oneOf('your', 'Your order 12', 'ÜNF', 'ünfug %_\\', '%', `${'LONG '.repeat(14)}B`, 'x'),
        search: oneOf('order 1', 'ONLY7@', 'other.ex', 'Shop <', 'pring', 'ünf', '%', 'nothing'),
        'tags[campaign]': oneOf('spring', '', 'x'),
        'tags[kind]': oneOf('login', 'x'),
        created_after: oneOf(all[0].created_at, all[40].created_at, all[119].created_at),
        created_before: oneOf(all[0].created_at, all[80].created_at, all[119].created_at),
        scheduled: fc.constant('true'),
      },
      optional,
    );

  it('lists all mails of the account and no others, newest first', async () => {
    expect(all).toHaveLength(MAILS);
    expect(all.map(({ id }) => id)).toEqual(
      all
        .map(({ id }) => id)
        .toSorted()
        .toReversed(),
    );
    expect(await pages(ours, {}, { limit: 7, backwards: true })).toEqual(all);
    expect(await pages(theirs, {}, { limit: 100 })).toHaveLength(FOREIGN);
    expect(new Set(all.map(({ status }) => status))).toEqual(new Set(EMAIL_STATUSES));
  });

  it('shows the same state in the list and of the mail alone, without body in the list', async () => {
    for (const item of all) {
      const answer = await gateway.agent(ours.key).get(`/emails/${item.id}`);
      const { html, text, headers, attachments, recipients, retry_of, tracking, ...rest } = answer.body as EmailView;
      expect(rest).toEqual(item);
      expect({ html, text, headers, attachments, retry_of, tracking }).toEqual({
        tracking: null,
        html: null,
        text: 'text',
        headers: {},
        attachments: [],
        retry_of: null,
      });
      expect(recipients.length).toBeGreaterThanOrEqual(2);
    }
  });

  it('finds by each filter alone what a look at every mail finds', async () => {
    const filters: Filters[] = [
      ...EMAIL_STATUSES.map((status) => ({ status })),
      ...LAST_EVENTS.map((last_event) => ({ last_event })),
      ...RECIPIENTS.map((to) => ({ to })),
      ...['customer.example', 'OTHER.example', 'example', 'nobody.example'].flatMap((recipient_domain): Filters[] => [
        { recipient_domain },
        { recipient_domain, waiting: 'true' },
        { recipient_domain, status: 'deferred' },
      ]),
      { waiting: 'true' },
      ...ours.domains.flatMap(({ id, name }): Filters[] => [
        { domain: id },
        { domain: name },
        { from: `orders@${name}` },
      ]),
      { domain: theirs.domains[0].id },
      ...SUBJECTS.map((subject) => ({ subject })),
      { subject: 'your order' },
      { 'tags[campaign]': 'spring' },
      { 'tags[campaign]': '' },
      { scheduled: 'true' },
      { created_after: all[50].created_at },
      { created_before: all[50].created_at },
    ];
    for (const filter of filters)
      expect(await pages(ours, filter, { limit: 100 }), JSON.stringify(filter)).toEqual(
        all.filter((mail) => matches(mail, filter)),
      );
  });

  it('finds by any combination, in pages of any size and in both directions, what a look at every mail finds', async () => {
    await fc.assert(
      fc.asyncProperty(
        anyFilters(),
        fc.integer({ min: 1, max: 9 }),
        fc.boolean(),
        async (filters, limit, backwards) => {
          const found = await pages(ours, filters, { limit, backwards });
          expect(found).toEqual(all.filter((mail) => matches(mail, filters)));
        },
      ),
      { numRuns: 150 },
    );
  }, 60_000);

  it('of a restricted key finds what a look at every mail that it sees finds', async () => {
    const [first, second] = ours.domains.map(({ id }) => id);
    await database.query(`UPDATE emails SET mode = 'test' WHERE account_id = $1 AND abs(hashtext(id)) % 3 = 0`, [
      ours.accountId,
    ]);
    const now = await pages(ours, {}, { limit: 100 });
    expect(now.some(({ mode }) => mode === 'test')).toBe(true);
    const list = gateway.app.get(EmailList);
    const own = wholeAccount(ours.accountId);
    const keys: Visibility[] = [
      { ...own, domainIds: new Set([first]) },
      { ...own, domainIds: new Set([first, second]) },
      { ...own, domainIds: new Set([second, theirs.domains[0].id]) },
      { ...own, mode: 'test' },
      { ...own, mode: 'test', domainIds: new Set([second, first]) },
      { ...own, domainIds: new Set() },
    ];
    const filters: [EmailFilter, (mail: EmailSummary) => boolean][] = [
      [{}, () => true],
      [{ status: 'delivered' }, ({ status }) => status === 'delivered'],
      [{ subject: 'your' }, ({ subject }) => subject.toLowerCase().startsWith('your')],
      [
        { scheduled: true, tags: { kind: 'login' } },
        (mail) => mail.scheduled_at !== null && mail.tags['kind'] === 'login',
      ],
    ];
    for (const visibility of keys)
      for (const [filter, matchesFilter] of filters) {
        const seen = now.filter(
          (mail) =>
            (visibility.domainIds?.has(mail.domain_id) ?? true) &&
            (visibility.mode === 'live' || mail.mode === 'test') &&
            matchesFilter(mail),
        );
        const found: EmailSummary[] = [];
        for (let after: string | null | undefined; after !== null;) {
          const one = await list.page(visibility, filter, { limit: 7, ...(after ? { after } : {}) });
          found.push(...one.data);
          after = one.next_cursor;
        }
        expect(found).toEqual(seen);
        const oldest = await list.page(visibility, filter, { limit: 5, before: `em_${'0'.repeat(32)}` });
        expect(oldest.data).toEqual(seen.slice(-5));
      }
    const limited = { ...own, domainIds: new Set([first]) };
    for (const domain of [second, ours.domains[1].name, theirs.domains[0].id, 'gone.example'])
      await expect(list.page(limited, { domain }, { limit: 5 })).rejects.toMatchObject({ code: 'restricted_api_key' });
    const byName = await list.page(limited, { domain: ours.domains[0].name }, { limit: 100 });
    expect(byName.data).toEqual(now.filter(({ domain_id }) => domain_id === first));
    await database.query(`UPDATE emails SET mode = 'live' WHERE account_id = $1`, [ours.accountId]);
  });

  it('gives the page right after or right before a mail that is not in it', async () => {
    const cursor = all[30].id;
    expect((await page(ours, { after: cursor, limit: '3' })).data).toEqual(all.slice(31, 34));
    expect((await page(ours, { before: cursor, limit: '3' })).data).toEqual(all.slice(27, 30));
  });

  it.each([
    ['status=delivering', 'status'],
    ['status=queued&status=sent', 'status'],
    ['last_event=nothing', 'last_event'],
    ['scheduled=false', 'scheduled'],
    ['created_after=2026-01-31', 'created_after'],
    ['created_before=2026-01-31T09:30:00', 'created_before'],
    ['tags=spring', 'tags'],
    ['tags[a b]=spring', 'tags.a b'],
    ['subject=', 'subject'],
    ['limit=101', 'limit'],
    ['after=em_1', 'after'],
    [`after=em_${'0'.repeat(32)}&before=em_${'0'.repeat(32)}`, 'before'],
  ])('refuses %s and names %s', async (query, field) => {
    const answer = await gateway.agent(ours.key).get(`/emails?${query}`);
    expect(answer.status).toBe(400);
    expect(answer.body).toMatchObject({ error: 'bad_request', details: [{ field }] });
  });
});
