import type { Kind, Tenant } from './tenant.js';

/** How one field of the GraphQL schema is called with somebody else's things. */
export interface GraphqlRow {
  /** The operation of `openapi.json` whose rules hold for the field too. */
  operation: string;
  /** The field with its arguments and selection; `$id` and other things are variables of type ID. */
  call: string;
  /** The thing behind each variable. */
  things: Record<string, Kind>;
  /** Variables other than things, with their types. Made anew for each call. */
  inputs?: (sender: Tenant) => Record<string, { type: string; value: unknown }>;
  /** Later tests need what it changes: called only where it must not reach a thing. */
  destroys?: true;
}

let counter = 0;
const fresh = (word: string) => `${word}-graphql-${process.pid}-${(counter += 1)}`;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const input = (type: string, value: (sender: Tenant) => object) => (sender: Tenant) => ({
  input: { type, value: value(sender) },
});
const mailOf = ({ domain }: Tenant) => ({
  from: `shop@${domain}`,
  to: ['user@example.net'],
  subject: 'Hi',
  text: 'Hi',
});

const read = (operation: string, call: string, things: Record<string, Kind> = {}): GraphqlRow => ({
  operation,
  call,
  things,
});
const change = (
  operation: string,
  call: string,
  rest: Omit<Partial<GraphqlRow>, 'operation' | 'call'> = {},
): GraphqlRow => ({ operation, call, things: {}, ...rest });

const EMAIL = `{ id subject html text recipients { address } headers { name } attachments { filename } content { text }
  events { nodes { id data } } attempts { nodes { id recipient } } explanation { recipients { address } } }`;
const domain = { id: 'domain' } as const;
const webhook = { id: 'webhook' } as const;

/** One row for each field of Query, Mutation and Subscription: a new field fails the test until it has a line here. */
export const GRAPHQL_ROWS: Record<string, GraphqlRow> = {
  'Query.account': read('GET /account', 'account { id name capturesEmails smtpRelay { host starttlsPort tlsPort } }'),
  'Query.apiKey': read('GET /api-keys/{id}', 'apiKey(id: $id) { id name }', { id: 'apiKey' }),
  'Query.apiKeys': read('GET /api-keys', 'apiKeys { id name domainIds }'),
  'Query.auditLog': read('GET /audit-log', 'auditLog(first: 100) { nodes { id target } }'),
  'Query.capturedEmails': read('GET /captured', 'capturedEmails { nodes { id emailId rcptTo } }'),
  'Query.domain': read(
    'GET /domains/{id}',
    'domain(id: $id) { id name records { value } advice { message publish { name } } }',
    domain,
  ),
  'Query.domainStats': read('GET /domains/{id}/stats', 'domainStats(domainId: $id) { accepted }', domain),
  'Query.domains': read('GET /domains', 'domains { id name }'),
  'Query.email': read('GET /emails/{id}', `email(id: $id) ${EMAIL}`, { id: 'email' }),
  'Query.emails': read('GET /emails', `emails(first: 50) { nodes ${EMAIL} }`),
  'Query.erasure': read('GET /erasures/{id}', 'erasure(id: $id) { id status receipt { erasedAs } }', { id: 'erasure' }),
  'Query.event': read('GET /events/{id}', 'event(id: $id) { id emailId data }', { id: 'event' }),
  'Query.events': read('GET /events', 'events { nodes { id emailId data } }'),
  'Query.loggedRequest': read('GET /logs/{id}', 'loggedRequest(id: $id) { id endpoint }', { id: 'log' }),
  'Query.queues': read('GET /queues', 'queues { domain recipients reason }'),
  'Query.requestLog': read('GET /logs', 'requestLog(first: 100) { nodes { id } }'),
  'Query.stats': read('GET /stats', 'stats(input: {dimensions: ["domain"]}) { totals { accepted } data { domainId } }'),
  'Query.suppression': read('GET /suppressions/{email}', 'suppression(email: $email) { id email }', {
    email: 'suppressionId',
  }),
  'Query.suppressions': read('GET /suppressions', 'suppressions(first: 100) { nodes { id email } }'),
  'Query.usage': read('GET /usage', 'usage { used }'),
  'Query.webhookReplay': read(
    'GET /webhooks/{id}/replays/{replayId}',
    'webhookReplay(webhookId: $id, replayId: $replayId) { id queued }',
    { id: 'webhook', replayId: 'webhookReplay' },
  ),
  'Query.webhookReplays': read(
    'GET /webhooks/{id}/replays',
    'webhookReplays(webhookId: $id, first: 100) { nodes { id } }',
    webhook,
  ),
  'Query.webhook': read(
    'GET /webhooks/{id}',
    'webhook(id: $id) { id url deliveries { nodes { id payload calls { nodes { id } } } } }',
    webhook,
  ),
  'Query.webhooks': read('GET /webhooks', 'webhooks { id url deliveries { nodes { id payload } } }'),
  'Subscription.accountStats': read('GET /stats', 'accountStats { accepted }'),
  'Subscription.domainStats': read('GET /domains/{id}/stats', 'domainStats(domainId: $id) { accepted }', domain),
  // From the first event of the email on, so that there is a first message.
  'Subscription.emailEvents': read(
    'GET /emails/{id}/events',
    'emailEvents(emailId: $id, after: $after) { id emailId data }',
    { id: 'email', after: 'event' },
  ),
  'Subscription.queues': read('GET /queues', 'queues { domain recipients reason }'),

  'Mutation.addSuppressions': change('POST /suppressions/batch/add', 'addSuppressions(input: $input) { created }', {
    inputs: input('AddSuppressionsInput!', () => ({ emails: [`${fresh('a')}@example.net`] })),
  }),
  'Mutation.cancelDomainKeyRotation': change(
    'DELETE /domains/{id}/dkim/rotate',
    'cancelDomainKeyRotation(id: $id) { id }',
    { things: domain },
  ),
  'Mutation.cancelEmail': change('POST /emails/{id}/cancel', 'cancelEmail(id: $id) { id }', {
    things: { id: 'scheduled' },
    destroys: true,
  }),
  'Mutation.createApiKey': change('POST /api-keys', 'createApiKey(input: $input) { id }', {
    inputs: input('CreateApiKeyInput!', () => ({ name: fresh('key') })),
  }),
  'Mutation.createDomain': change('POST /domains', 'createDomain(input: $input) { id }', {
    inputs: input('CreateDomainInput!', () => ({ name: `${fresh('new')}.example.org` })),
  }),
  'Mutation.createWebhook': change('POST /webhooks', 'createWebhook(input: $input) { id }', {
    inputs: input('CreateWebhookInput!', () => ({ url: 'http://127.0.0.1:65000/new', events: ['email.opened'] })),
  }),
  'Mutation.deleteApiKey': change('DELETE /api-keys/{id}', 'deleteApiKey(id: $id) { id }', {
    things: { id: 'apiKey' },
    destroys: true,
  }),
  'Mutation.deleteCapturedEmails': change('DELETE /captured', 'deleteCapturedEmails { count }', { destroys: true }),
  'Mutation.deleteDomain': change('DELETE /domains/{id}', 'deleteDomain(id: $id) { id }', {
    things: domain,
    destroys: true,
  }),
  'Mutation.deleteWebhook': change('DELETE /webhooks/{id}', 'deleteWebhook(id: $id) { id }', {
    things: webhook,
    destroys: true,
  }),
  'Mutation.removeSuppressions': change(
    'POST /suppressions/batch/remove',
    'removeSuppressions(input: $input) { error { code } }',
    { inputs: input('RemoveSuppressionsInput!', () => ({ emails: [`${fresh('a')}@example.net`] })) },
  ),
  'Mutation.cancelWebhookReplay': change(
    'POST /webhooks/{id}/replays/{replayId}/cancel',
    'cancelWebhookReplay(webhookId: $id, replayId: $replayId) { id }',
    { things: { id: 'webhook', replayId: 'webhookReplay' } },
  ),
  'Mutation.replayWebhook': change('POST /webhooks/{id}/replay', 'replayWebhook(id: $id, input: $input) { queued }', {
    things: webhook,
    inputs: input('ReplayWebhookInput!', () => ({ from: inAnHour() })),
  }),
  'Mutation.replayWebhookEvent': change(
    'POST /webhooks/{id}/events/{eventId}/replay',
    'replayWebhookEvent(webhookId: $id, eventId: $eventId) { id }',
    { things: { id: 'webhook', eventId: 'webhookEvent' }, destroys: true },
  ),
  'Mutation.requestErasure': change('POST /erasures', 'requestErasure(input: $input) { id }', {
    inputs: input('RequestErasureInput!', () => ({ email: `${fresh('erased')}@example.net` })),
  }),
  'Mutation.rescheduleEmail': change('PATCH /emails/{id}', 'rescheduleEmail(id: $id, input: $input) { id }', {
    things: { id: 'scheduled' },
    inputs: input('RescheduleEmailInput!', () => ({ scheduledAt: inAnHour() })),
  }),
  'Mutation.retryEmail': change('POST /emails/{id}/retry', 'retryEmail(id: $id) { id }', { things: { id: 'bounced' } }),
  'Mutation.rotateDomainKey': change('POST /domains/{id}/dkim/rotate', 'rotateDomainKey(id: $id) { id }', {
    things: domain,
    destroys: true,
  }),
  'Mutation.rotateWebhookSecret': change(
    'POST /webhooks/{id}/signing-secret/rotate',
    'rotateWebhookSecret(id: $id) { id }',
    { things: webhook, destroys: true },
  ),
  'Mutation.sendBatch': change('POST /emails/batch', 'sendBatch(input: $input) { results { id } }', {
    inputs: input('SendBatchInput!', (sender) => ({ emails: [mailOf(sender)] })),
  }),
  'Mutation.sendEmail': change('POST /emails', 'sendEmail(input: $input) { id }', {
    inputs: input('SendEmailInput!', mailOf),
  }),
  'Mutation.testWebhook': change('POST /webhooks/{id}/test', 'testWebhook(id: $id) { id }', {
    things: webhook,
    destroys: true,
  }),
  'Mutation.updateAccount': change('PATCH /account', 'updateAccount(input: $input) { id }', {
    inputs: input('UpdateAccountInput!', () => ({ name: 'changed' })),
  }),
  'Mutation.updateApiKey': change('PATCH /api-keys/{id}', 'updateApiKey(id: $id, input: $input) { id }', {
    things: { id: 'apiKey' },
    inputs: input('UpdateApiKeyInput!', () => ({ name: 'changed' })),
    destroys: true,
  }),
  'Mutation.updateDomain': change('PATCH /domains/{id}', 'updateDomain(id: $id, input: $input) { id }', {
    things: domain,
    inputs: input('UpdateDomainInput!', () => ({ tls: 'opportunistic' })),
  }),
  'Mutation.updateWebhook': change('PATCH /webhooks/{id}', 'updateWebhook(id: $id, input: $input) { id }', {
    things: webhook,
    inputs: input('UpdateWebhookInput!', () => ({ includeBots: false })),
  }),
  'Mutation.verifyDomain': change('POST /domains/{id}/verify', 'verifyDomain(id: $id) { id }', {
    things: domain,
    destroys: true,
  }),
};

/**
 * The fields of the operator, which repeat no REST operation and refuse every API key. `$account` and `$parked` are variables
 * of type ID.
 */
export const OPERATOR_FIELDS: Readonly<Record<string, string>> = {
  'Query.operator': 'operator { accounts { nodes { id name } } throttles { queue } eventLog { head } }',
  'Mutation.createAccount': 'createAccount(input: {name: "Made by the matrix"}) { account { id } apiKey }',
  'Mutation.dropParkedEvents': 'dropParkedEvents(id: $parked)',
  'Mutation.replayParkedEvents': 'replayParkedEvents(id: $parked)',
  'Mutation.resumeAccount': 'resumeAccount(id: $account) { id }',
  'Mutation.resumeQueue': 'resumeQueue(queue: "nobody") { restraints }',
  'Mutation.runDoctor': 'runDoctor(domain: "no domain") { id }',
  'Mutation.setAccountPlan': 'setAccountPlan(id: $account, plan: "17") { id plan }',
  'Mutation.setAccountStanding': 'setAccountStanding(id: $account, standing: active) { id }',
};

/** The document and the variables of a row, with the things of this tenant; the sender submits emails. */
export function graphqlRequest(field: string, { things }: Tenant, sender: Tenant) {
  const row = GRAPHQL_ROWS[field];
  const inputs = row.inputs?.(sender) ?? {};
  const variables = {
    ...Object.fromEntries(Object.entries(row.things).map(([name, kind]) => [name, things[kind]])),
    ...Object.fromEntries(Object.entries(inputs).map(([name, { value }]) => [name, value])),
  };
  const declared = [
    ...Object.keys(row.things).map((name) => `$${name}: ${name === 'email' ? 'String' : 'ID'}!`),
    ...Object.entries(inputs).map(([name, { type }]) => `$${name}: ${type}`),
  ];
  const kind = field.split('.', 1)[0].toLowerCase();
  return { query: `${kind} ${declared.length > 0 ? `(${declared.join(', ')})` : ''} { ${row.call} }`, variables };
}
