import type { Kind, Tenant } from './tenant.js';

/** How one field of the GraphQL schema is called with somebody else's things. */
export interface GraphqlRow {
  /** The operation of `openapi.json` whose rules hold for the field too. */
  operation: string;
  /** The field with its arguments and selection; `$id` and other things are variables of type ID, `$input` is of `INPUTS`. */
  call: string;
  /** The thing behind each variable. */
  things: Record<string, Kind>;
  /** Later tests need what it changes: called only where it must not reach a thing. */
  destroys?: true;
}

let counter = 0;
const fresh = (word: string) => `${word}-graphql-${process.pid}-${(counter += 1)}`;
const inAnHour = () => new Date(Date.now() + 3_600_000).toISOString();
const mailOf = ({ domain }: Tenant) => ({
  from: `shop@${domain}`,
  to: ['user@example.net'],
  subject: 'Hi',
  text: 'Hi',
});

const row = (operation: string, call: string, things: Record<string, Kind> = {}): GraphqlRow => ({
  operation,
  call,
  things,
});
const destroying = (...of: Parameters<typeof row>): GraphqlRow => ({ ...row(...of), destroys: true });
const EMAIL = `{ id subject html text recipients { address } headers { name } attachments { filename } content { text }
  events { nodes { id data } } attempts { nodes { id recipient } } explanation { recipients { address } } }`;
const domain = { id: 'domain' } as const;
const webhook = { id: 'webhook' } as const;

/** One row for each field of Query, Mutation and Subscription: a new field fails the test until it has a line here. */
export const GRAPHQL_ROWS: Record<string, GraphqlRow> = {
  'Query.account': row('GET /account', 'account { id name capturesEmails smtpRelay { host starttlsPort tlsPort } }'),
  'Query.apiKey': row('GET /api-keys/{id}', 'apiKey(id: $id) { id name }', { id: 'apiKey' }),
  'Query.apiKeys': row('GET /api-keys', 'apiKeys { id name domainIds }'),
  'Query.auditLog': row('GET /audit-log', 'auditLog(first: 100) { nodes { id target } }'),
  'Query.capturedEmails': row('GET /captured', 'capturedEmails { nodes { id emailId rcptTo } }'),
  'Query.domain': row(
    'GET /domains/{id}',
    'domain(id: $id) { id name records { value } advice { message publish { name } } }',
    domain,
  ),
  'Query.domainStats': row('GET /domains/{id}/stats', 'domainStats(domainId: $id) { accepted }', domain),
  'Query.domains': row('GET /domains', 'domains { id name }'),
  'Query.email': row('GET /emails/{id}', `email(id: $id) ${EMAIL}`, { id: 'email' }),
  'Query.emails': row('GET /emails', `emails(first: 50) { nodes ${EMAIL} }`),
  'Query.erasure': row('GET /erasures/{id}', 'erasure(id: $id) { id status receipt { erasedAs } }', { id: 'erasure' }),
  'Query.event': row('GET /events/{id}', 'event(id: $id) { id emailId data }', { id: 'event' }),
  'Query.events': row('GET /events', 'events { nodes { id emailId data } }'),
  'Query.loggedRequest': row('GET /logs/{id}', 'loggedRequest(id: $id) { id endpoint }', { id: 'log' }),
  'Query.queues': row('GET /queues', 'queues { domain recipients reason }'),
  'Query.requestLog': row('GET /logs', 'requestLog(first: 100) { nodes { id } }'),
  'Query.stats': row('GET /stats', 'stats(input: {dimensions: ["domain"]}) { totals { accepted } data { domainId } }'),
  'Query.suppression': row('GET /suppressions/{email}', 'suppression(email: $email) { id email }', {
    email: 'suppressionId',
  }),
  'Query.suppressions': row('GET /suppressions', 'suppressions(first: 100) { nodes { id email } }'),
  'Query.usage': row('GET /usage', 'usage { used }'),
  'Query.webhookReplay': row(
    'GET /webhooks/{id}/replays/{replayId}',
    'webhookReplay(webhookId: $id, replayId: $replayId) { id queued }',
    { id: 'webhook', replayId: 'webhookReplay' },
  ),
  'Query.webhookReplays': row(
    'GET /webhooks/{id}/replays',
    'webhookReplays(webhookId: $id, first: 100) { nodes { id } }',
    webhook,
  ),
  'Query.webhook': row(
    'GET /webhooks/{id}',
    'webhook(id: $id) { id url deliveries { nodes { id payload calls { nodes { id } } } } }',
    webhook,
  ),
  'Query.webhooks': row('GET /webhooks', 'webhooks { id url deliveries { nodes { id payload } } }'),
  'Subscription.accountStats': row('GET /stats', 'accountStats { accepted }'),
  'Subscription.domainStats': row('GET /domains/{id}/stats', 'domainStats(domainId: $id) { accepted }', domain),
  // From the first event of the email on, so that there is a first message.
  'Subscription.emailEvents': row(
    'GET /emails/{id}/events',
    'emailEvents(emailId: $id, after: $after) { id emailId data }',
    { id: 'email', after: 'event' },
  ),
  'Subscription.queues': row('GET /queues', 'queues { domain recipients reason }'),
  'Mutation.addSuppressions': row('POST /suppressions/batch/add', 'addSuppressions(input: $input) { created }'),
  'Mutation.cancelDomainKeyRotation': row(
    'DELETE /domains/{id}/dkim/rotate',
    'cancelDomainKeyRotation(id: $id) { id }',
    domain,
  ),
  'Mutation.cancelEmail': destroying('POST /emails/{id}/cancel', 'cancelEmail(id: $id) { id }', { id: 'scheduled' }),
  'Mutation.createApiKey': row('POST /api-keys', 'createApiKey(input: $input) { id }'),
  'Mutation.createDomain': row('POST /domains', 'createDomain(input: $input) { id }'),
  'Mutation.createWebhook': row('POST /webhooks', 'createWebhook(input: $input) { id }'),
  'Mutation.deleteApiKey': destroying('DELETE /api-keys/{id}', 'deleteApiKey(id: $id) { id }', { id: 'apiKey' }),
  'Mutation.deleteCapturedEmails': destroying('DELETE /captured', 'deleteCapturedEmails { count }'),
  'Mutation.deleteDomain': destroying('DELETE /domains/{id}', 'deleteDomain(id: $id) { id }', domain),
  'Mutation.deleteWebhook': destroying('DELETE /webhooks/{id}', 'deleteWebhook(id: $id) { id }', webhook),
  'Mutation.removeSuppressions': row(
    'POST /suppressions/batch/remove',
    'removeSuppressions(input: $input) { error { code } }',
  ),
  'Mutation.cancelWebhookReplay': row(
    'POST /webhooks/{id}/replays/{replayId}/cancel',
    'cancelWebhookReplay(webhookId: $id, replayId: $replayId) { id }',
    { id: 'webhook', replayId: 'webhookReplay' },
  ),
  'Mutation.replayWebhook': row(
    'POST /webhooks/{id}/replay',
    'replayWebhook(id: $id, input: $input) { queued }',
    webhook,
  ),
  'Mutation.replayWebhookEvent': destroying(
    'POST /webhooks/{id}/events/{eventId}/replay',
    'replayWebhookEvent(webhookId: $id, eventId: $eventId) { id }',
    { id: 'webhook', eventId: 'webhookEvent' },
  ),
  'Mutation.requestErasure': row('POST /erasures', 'requestErasure(input: $input) { id }'),
  'Mutation.rescheduleEmail': row('PATCH /emails/{id}', 'rescheduleEmail(id: $id, input: $input) { id }', {
    id: 'scheduled',
  }),
  'Mutation.retryEmail': row('POST /emails/{id}/retry', 'retryEmail(id: $id) { id }', { id: 'bounced' }),
  'Mutation.rotateDomainKey': destroying('POST /domains/{id}/dkim/rotate', 'rotateDomainKey(id: $id) { id }', domain),
  'Mutation.rotateWebhookSecret': destroying(
    'POST /webhooks/{id}/signing-secret/rotate',
    'rotateWebhookSecret(id: $id) { id }',
    webhook,
  ),
  'Mutation.sendBatch': row('POST /emails/batch', 'sendBatch(input: $input) { results { id } }'),
  'Mutation.sendEmail': row('POST /emails', 'sendEmail(input: $input) { id }'),
  'Mutation.testWebhook': destroying('POST /webhooks/{id}/test', 'testWebhook(id: $id) { id }', webhook),
  'Mutation.updateAccount': row('PATCH /account', 'updateAccount(input: $input) { id }'),
  'Mutation.updateApiKey': destroying('PATCH /api-keys/{id}', 'updateApiKey(id: $id, input: $input) { id }', {
    id: 'apiKey',
  }),
  'Mutation.updateDomain': row('PATCH /domains/{id}', 'updateDomain(id: $id, input: $input) { id }', domain),
  'Mutation.updateWebhook': row('PATCH /webhooks/{id}', 'updateWebhook(id: $id, input: $input) { id }', webhook),
  'Mutation.verifyDomain': destroying('POST /domains/{id}/verify', 'verifyDomain(id: $id) { id }', domain),
};

/** What is given as the input of a mutation, made anew for each call. Its type is that of the name of the field. */
const INPUTS: Record<string, (sender: Tenant) => object> = {
  addSuppressions: () => ({ emails: [`${fresh('a')}@example.net`] }),
  createApiKey: () => ({ name: fresh('key') }),
  createDomain: () => ({ name: `${fresh('new')}.example.org` }),
  createWebhook: () => ({ url: 'http://127.0.0.1:65000/new', events: ['email.opened'] }),
  removeSuppressions: () => ({ emails: [`${fresh('a')}@example.net`] }),
  replayWebhook: () => ({ from: inAnHour() }),
  requestErasure: () => ({ email: `${fresh('erased')}@example.net` }),
  rescheduleEmail: () => ({ scheduledAt: inAnHour() }),
  sendBatch: (sender) => ({ emails: [mailOf(sender)] }),
  sendEmail: mailOf,
  updateAccount: () => ({ name: 'changed' }),
  updateApiKey: () => ({ name: 'changed' }),
  updateDomain: () => ({ tls: 'opportunistic' }),
  updateWebhook: () => ({ includeBots: false }),
};

/**
 * The fields of the operator, which repeat no REST operation and refuse every API key. `$account` and `$parked` are variables
 * of type ID.
 */
export const OPERATOR_FIELDS: Readonly<Record<string, string>> = {
  'Query.operator': 'operator { accounts { nodes { id name } } throttles { queue } eventLog { head } }',
  'Mutation.createAccount': 'createAccount(input: {name: "Made by the matrix"}) { account { id } apiKey }',
  'Mutation.dropParkedEvents': 'dropParkedEvents(id: $parked)',
  'Mutation.inviteOwner': 'inviteOwner(id: $account, email: "owner.of.matrix@example.com") { id }',
  'Mutation.replayParkedEvents': 'replayParkedEvents(id: $parked)',
  'Mutation.resumeAccount': 'resumeAccount(id: $account) { id }',
  'Mutation.resumeQueue': 'resumeQueue(queue: "nobody") { restraints }',
  'Mutation.runDoctor': 'runDoctor(domain: "no domain") { id }',
  'Mutation.setAccountPool': 'setAccountPool(id: $account, pool: auto) { id }',
  'Mutation.setAccountPlan': 'setAccountPlan(id: $account, plan: "17") { id plan }',
  'Mutation.setAccountStanding': 'setAccountStanding(id: $account, standing: active) { id }',
};

/** The document and the variables of a row, with the things of this tenant; the sender submits emails. */
export function graphqlRequest(field: string, { things }: Tenant, sender: Tenant) {
  const row = GRAPHQL_ROWS[field];
  const [kind, name] = field.split('.', 2);
  const input = INPUTS[name]?.(sender);
  const variables: Record<string, unknown> = {
    ...Object.fromEntries(Object.entries(row.things).map(([name, kind]) => [name, things[kind]])),
    ...(input === undefined ? {} : { input }),
  };
  const declared = [
    ...Object.keys(row.things).map((name) => `$${name}: ${name === 'email' ? 'String' : 'ID'}!`),
    ...(input === undefined ? [] : [`$input: ${name[0].toUpperCase()}${name.slice(1)}Input!`]),
  ];
  const query = `${kind.toLowerCase()} ${declared.length > 0 ? `(${declared.join(', ')})` : ''} { ${row.call} }`;
  return { query, variables };
}
