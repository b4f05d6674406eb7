import type { Kind, Tenant } from './tenant.js';

/** How one operation is called with somebody else's things. */
export interface IdorRow {
  /** Which thing is named where; every spot of the operation in `openapi.json` has its line. */
  spots: Record<string, Kind>;
  /** A body that the operation accepts, without these places; a text is a CSV file. Made anew for each call. */
  body?: (caller: Tenant, spots: string[]) => object | string;
  /** What the operation answers to the owner, by the place that is named (`''`: none), where that is not a success. */
  own?: Record<string, number>;
  /** The answer is another one each time, because requests leave traces in it: only statuses are compared. */
  grows?: true;
}

const page = (kind: Kind) => ({ 'query:after': kind, 'query:before': kind });
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const of = (spots: Record<string, Kind>, rest: Omit<IdorRow, 'spots'> = {}): IdorRow => ({ spots, ...rest });

let counter = 0;
/** Other workers use the same service. */
const fresh = (word: string) => `${word}-${process.pid}-${(counter += 1)}`;

const freshAddress = () => `${fresh('somebody')}@example.net`;
/** The entries are of whole accounts. */
const NOT_OF_THE_DOMAIN = { own: { 'query:domain_id': 404 } };
const mailOf = ({ domain }: Tenant) => ({ from: `shop@${domain}`, to: 'user@example.net', subject: 'Hi', text: 'Hi' });

/**
 * One row for each operation of `openapi.json`: a new operation, and a new place in which a thing is named, fails the
 * test until it has a line here.
 */
export const IDOR_ROWS: Record<string, IdorRow> = {
  'GET /healthz': of({}),
  'GET /readyz': of({}),
  'GET /openapi.json': of({}),

  'GET /account': of({}),
  'PATCH /account': of({}, { body: () => ({ name: 'changed' }) }),

  'GET /api-keys': of(page('apiKey')),
  'POST /api-keys': of({ 'body:domain_ids': 'domain' }, { body: () => ({ name: fresh('key') }) }),
  'GET /api-keys/{id}': of({ 'path:id': 'apiKey' }),
  'PATCH /api-keys/{id}': of(
    { 'path:id': 'apiKey', 'body:domain_ids': 'domain' },
    { body: () => ({ name: 'changed' }) },
  ),
  'DELETE /api-keys/{id}': of({ 'path:id': 'apiKey' }),

  'GET /audit-log': of({ 'query:after': 'audit', 'query:before': 'audit' }),

  'GET /operator/accounts': of(page('account'), { own: { '': 403, 'query:after': 403, 'query:before': 403 } }),
  'GET /operator/accounts/{id}': of({ 'path:id': 'account' }, { own: { 'path:id': 403 } }),
  'PATCH /operator/accounts/{id}': of(
    { 'path:id': 'account' },
    { body: () => ({ pool: 'default' }), own: { 'path:id': 403 } },
  ),

  'GET /captured': of({ 'query:email_id': 'email', 'query:after': 'captured' }),
  'GET /captured/{id}/raw': of({ 'path:id': 'captured' }),
  'DELETE /captured': of({}),

  'GET /domains': of({ 'query:after': 'domain' }),
  'POST /domains': of({}, { body: () => ({ name: `${fresh('new')}.example.org` }) }),
  'GET /domains/{id}': of({ 'path:id': 'domain' }),
  'PATCH /domains/{id}': of({ 'path:id': 'domain' }, { body: () => ({ open_tracking: true }) }),
  'DELETE /domains/{id}': of({ 'path:id': 'domain' }),
  'POST /domains/{id}/verify': of({ 'path:id': 'domain' }),
  'POST /domains/{id}/dkim/rotate': of({ 'path:id': 'domain' }),
  'DELETE /domains/{id}/dkim/rotate': of({ 'path:id': 'domain' }),
  'GET /domains/{id}/stats': of({ 'path:id': 'domain', 'query:email_id': 'email' }),

  'POST /emails': of({}, { body: mailOf }),
  'POST /emails/batch': of({}, { body: (caller) => [mailOf(caller)] }),
  'GET /emails': of({ 'query:domain': 'domain', ...page('email') }),
  'GET /emails/{id}': of({ 'path:id': 'email' }),
  'GET /emails/{id}/events': of({ 'path:id': 'email', ...page('event') }),
  'GET /emails/{id}/attempts': of({ 'path:id': 'email', ...page('attempt') }),
  'GET /emails/{id}/explain': of({ 'path:id': 'email' }),
  'GET /emails/{id}/attachments': of({ 'path:id': 'email' }),
  'GET /emails/{id}/attachments/{attachmentId}': of({ 'path:id': 'email', 'path:attachmentId': 'attachment' }),
  // Its token opens it, which has a test of its own.
  'GET /emails/{id}/attachments/{attachmentId}/download': of(
    { 'path:id': 'email', 'path:attachmentId': 'attachment' },
    { own: { '': 404 } },
  ),
  'PATCH /emails/{id}': of({ 'path:id': 'scheduled' }, { body: () => ({ scheduled_at: inAnHour() }) }),
  'POST /emails/{id}/cancel': of({ 'path:id': 'scheduled' }),
  'POST /emails/{id}/retry': of({ 'path:id': 'bounced' }),

  'POST /erasures': of({}, { body: () => ({ email: freshAddress() }) }),
  'GET /erasures/{id}': of({ 'path:id': 'erasure' }),

  'GET /events': of({ 'query:email_id': 'email', 'query:domain_id': 'domain', ...page('event') }, { grows: true }),
  'GET /events/{id}': of({ 'path:id': 'event' }),
  'GET /logs': of({ 'query:api_key_id': 'apiKey', ...page('log') }, { grows: true }),
  'GET /logs/{id}': of({ 'path:id': 'log' }),

  'GET /suppressions': of({ 'query:domain_id': 'domain', ...page('suppressionId') }),
  'POST /suppressions': of(
    { 'body:email': 'suppressedToo', 'body:domain_id': 'domain' },
    { body: () => ({ email: freshAddress() }) },
  ),
  'GET /suppressions/{email}': of({ 'path:email': 'suppression', 'query:domain_id': 'domain' }, NOT_OF_THE_DOMAIN),
  'DELETE /suppressions/{email}': of({ 'path:email': 'suppression', 'query:domain_id': 'domain' }, NOT_OF_THE_DOMAIN),
  'POST /suppressions/batch/add': of(
    { 'body:emails': 'suppressedToo', 'body:entries.email': 'suppressedToo', 'body:entries.domain_id': 'domain' },
    {
      body: (_, spots) =>
        spots.some((spot) => spot.startsWith('body:entries'))
          ? { entries: [{ email: freshAddress() }] }
          : { emails: [freshAddress()] },
    },
  ),
  'POST /suppressions/batch/remove': of(
    { 'body:emails': 'suppressedToo', 'body:ids': 'suppressedTooId', 'body:domain_id': 'domain' },
    { body: (_, spots) => (spots.includes('body:ids') ? {} : { emails: [freshAddress()] }) },
  ),
  'GET /suppressions/export': of({}),
  // A column names a domain, which has a test of its own.
  'POST /suppressions/import': of({}, { body: () => `email\r\n${freshAddress()}\r\n` }),

  'GET /queues': of({}),

  'GET /stats': of({ 'query:domain_id': 'domain', 'query:email_id': 'email' }),
  'GET /usage': of({}),

  'GET /webhooks': of({}),
  'POST /webhooks': of(
    { 'body:domain_ids': 'domain' },
    { body: () => ({ url: 'http://127.0.0.1:65000/new', events: ['email.opened'] }) },
  ),
  'GET /webhooks/{id}': of({ 'path:id': 'webhook' }),
  'PATCH /webhooks/{id}': of(
    { 'path:id': 'webhook', 'body:domain_ids': 'domain' },
    { body: () => ({ events: ['email.opened'] }) },
  ),
  'DELETE /webhooks/{id}': of({ 'path:id': 'webhook' }),
  'POST /webhooks/{id}/test': of({ 'path:id': 'webhook' }),
  'POST /webhooks/{id}/signing-secret/rotate': of({ 'path:id': 'webhook' }, { body: () => ({}) }),
  'GET /webhooks/{id}/events': of({ 'path:id': 'webhook', ...page('webhookEvent') }),
  'GET /webhooks/{id}/events/{eventId}': of({ 'path:id': 'webhook', 'path:eventId': 'webhookEvent' }),
  'GET /webhooks/{id}/events/{eventId}/attempts': of({
    'path:id': 'webhook',
    'path:eventId': 'webhookEvent',
    ...page('webhookAttempt'),
  }),
  'POST /webhooks/{id}/events/{eventId}/replay': of({ 'path:id': 'webhook', 'path:eventId': 'webhookEvent' }),
  'POST /webhooks/{id}/replay': of(
    { 'path:id': 'webhook', 'body:after': 'webhookDelivery' },
    { body: () => ({ from: '2020-01-01T00:00:00Z' }), grows: true },
  ),
  'GET /webhooks/{id}/replays': of({ 'path:id': 'webhook', ...page('webhookReplay') }, { grows: true }),
  'GET /webhooks/{id}/replays/{replayId}': of({ 'path:id': 'webhook', 'path:replayId': 'webhookReplay' }),
  'POST /webhooks/{id}/replays/{replayId}/cancel': of({ 'path:id': 'webhook', 'path:replayId': 'webhookReplay' }),
};

/** The same for clients of Resend, whose routes are not in `openapi.json`. */
export const FACADE_ROWS: Record<string, IdorRow> = {
  'POST /resend/api-keys': of({ 'body:domain_id': 'domain' }, { body: () => ({ name: fresh('key') }) }),
  'GET /resend/api-keys': of(page('apiKey')),
  'PATCH /resend/api-keys/{id}': of({ 'path:id': 'apiKey' }, { body: () => ({ name: 'changed' }) }),
  'DELETE /resend/api-keys/{id}': of({ 'path:id': 'apiKey' }),

  'POST /resend/domains': of({}, { body: () => ({ name: `${fresh('new')}.example.org` }) }),
  'GET /resend/domains': of(page('domain')),
  'GET /resend/domains/{id}': of({ 'path:id': 'domain' }),
  'PATCH /resend/domains/{id}': of({ 'path:id': 'domain' }, { body: () => ({ open_tracking: true }) }),
  'DELETE /resend/domains/{id}': of({ 'path:id': 'domain' }),
  'POST /resend/domains/{id}/verify': of({ 'path:id': 'domain' }),

  'POST /resend/emails': of({}, { body: mailOf }),
  'POST /resend/emails/batch': of({}, { body: (caller) => [mailOf(caller)] }),
  'GET /resend/emails': of(page('email')),
  'GET /resend/emails/metrics': of({ 'query:domain_id': 'domain', 'query:email_id': 'email' }),
  'GET /resend/emails/{id}': of({ 'path:id': 'email' }),
  'PATCH /resend/emails/{id}': of({ 'path:id': 'scheduled' }, { body: () => ({ scheduled_at: inAnHour() }) }),
  'POST /resend/emails/{id}/cancel': of({ 'path:id': 'scheduled' }),
  'GET /resend/emails/{emailId}/attachments': of({ 'path:emailId': 'email', ...page('attachment') }),
  'GET /resend/emails/{emailId}/attachments/{id}': of({ 'path:emailId': 'email', 'path:id': 'attachment' }),

  'GET /resend/logs': of(page('log'), { grows: true }),
  'GET /resend/logs/{id}': of({ 'path:id': 'log' }),

  'GET /resend/suppressions': of(page('suppressionId')),
  'POST /resend/suppressions': of({ 'body:email': 'suppressedToo' }, { body: () => ({ email: freshAddress() }) }),
  'GET /resend/suppressions/{idOrEmail}': of({ 'path:idOrEmail': 'suppression' }),
  'DELETE /resend/suppressions/{idOrEmail}': of({ 'path:idOrEmail': 'suppression' }),
  'POST /resend/suppressions/batch/add': of(
    { 'body:emails': 'suppressedToo' },
    { body: () => ({ emails: [freshAddress()] }) },
  ),
  'POST /resend/suppressions/batch/remove': of({ 'body:emails': 'suppressedToo', 'body:ids': 'suppressedTooId' }),

  'GET /resend/usage': of({}),

  'POST /resend/webhooks': of(
    {},
    { body: () => ({ endpoint: 'http://127.0.0.1:65000/new', events: ['email.opened'] }) },
  ),
  'GET /resend/webhooks': of(page('webhook')),
  'GET /resend/webhooks/{id}': of({ 'path:id': 'webhook' }),
  'PATCH /resend/webhooks/{id}': of({ 'path:id': 'webhook' }, { body: () => ({ events: ['email.opened'] }) }),
  'DELETE /resend/webhooks/{id}': of({ 'path:id': 'webhook' }),
  'POST /resend/webhooks/{id}/signing-secret/rotate': of({ 'path:id': 'webhook' }),
  'GET /resend/webhooks/{id}/events': of({ 'path:id': 'webhook', ...page('webhookEvent') }),
  'GET /resend/webhooks/{id}/events/{eventId}': of({ 'path:id': 'webhook', 'path:eventId': 'webhookEvent' }),
  'GET /resend/webhooks/{id}/events/{eventId}/attempts': of({
    'path:id': 'webhook',
    'path:eventId': 'webhookEvent',
    ...page('webhookAttempt'),
  }),
  'POST /resend/webhooks/{id}/events/{eventId}/replay': of({ 'path:id': 'webhook', 'path:eventId': 'webhookEvent' }),
};
