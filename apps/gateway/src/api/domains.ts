import { AuditLog, type Principal } from '#libs/accounts';
import { LIMITS, STATS_COUNTERS, type DomainStats, type Page, type StatsCounter } from '#libs/contracts';
import { DkimRotation, DomainEntries, SendingDomains, type DomainView, type RotationRequest } from '#libs/domains';
import { StatsStore } from '#libs/stats';
import { CreateDomainInput, UpdateDomainInput } from '../graphql/domains/domain.type.js';
import { DeletedType } from '../graphql/deleted.type.js';
import { AccountDomains } from '../rest/domains/account-domains.js';
import {
  ChangeDomainDto,
  CreateDomainDto,
  DomainDeletedDto,
  DomainDto,
  DomainsQuery,
} from '../rest/domains/domains.dto.js';
import { DomainStatsDto } from '../rest/domains/domain-stats.dto.js';
import { metricsResponse } from '../rest/stats/metrics-response.js';
import { countsWindow } from '../rest/stats/stats-query.js';
import { MetricsParametersDto, StatsDto } from '../rest/stats/stats.dto.js';
import { operation, type OperationGroup } from './operation.js';

const tag = 'Domains';
const theDomain = { id: 'The id of the domain' };

const add = operation({
  tag,
  rest: 'POST /',
  graphql: {
    field: 'Mutation.createDomain',
    about:
      'Adds a domain. Publish its `records`: they are checked at once, then every minute for one hour and every five ' +
      `minutes for 72 hours. At most ${LIMITS.domainsPerAccount} per account.`,
    input: { type: CreateDomainInput, about: 'The domain' },
  },
  scope: 'domains.write',
  wholeAccount: true,
  summary: 'Add a domain',
  description: `The response contains the DNS records to publish. They are checked at once, then every minute for one hour and every five minutes for 72 hours. The domain becomes \`active\` when all required records are verified. Several accounts can add the same name; the first one that publishes its own DKIM key gets it. A duplicate name within the account, or more than ${LIMITS.domainsPerAccount} domains, is answered 409.`,
  body: CreateDomainDto,
  examples: { domain: { value: { name: 'mail.example.com' } } },
  response: DomainDto,
  status: 201,
  errors: [400, 409],
  uses: [AccountDomains],
  run: ({ caller, body }, domains) => domains.add(caller.accountId, body.name),
});

const list = operation({
  tag,
  rest: 'GET /',
  graphql: null,
  scope: 'domains.read',
  summary: 'List domains',
  description: `Newest first, at most ${LIMITS.domainsPerAccount}. If there are more, the header \`link\` contains the URL of the next page (\`rel="next"\`).`,
  query: DomainsQuery,
  response: [DomainDto],
  errors: [400],
  uses: [SendingDomains],
  run: ({ caller, query: { after } }, domains): Promise<Page<DomainView>> =>
    domains.page(caller, { limit: LIMITS.domainsPerAccount, ...(after === undefined ? {} : { after }) }),
  respond: ({ data, next_cursor }, reply) => {
    if (next_cursor !== null) void reply.header('link', `</domains?after=${next_cursor}>; rel="next"`);
    return data;
  },
});

const find = operation({
  tag,
  rest: 'GET /:id',
  graphql: {
    field: 'Query.domain',
    about: 'One sending domain. Null if the account has no such domain.',
    arguments: theDomain,
    isNullable: true,
  },
  scope: 'domains.read',
  summary: 'Get a domain',
  path: ['id'],
  response: DomainDto,
  errors: [404],
  uses: [SendingDomains],
  run: ({ caller, id }, domains) => domains.view(caller, id),
});

const change = operation({
  tag,
  rest: 'PATCH /:id',
  graphql: {
    field: 'Mutation.updateDomain',
    about: 'Changes the settings of a domain.',
    arguments: theDomain,
    input: { type: UpdateDomainInput, about: 'The changes' },
  },
  scope: 'domains.write',
  summary: 'Change the settings of a domain',
  description: 'Absent fields are not changed.',
  path: ['id'],
  body: ChangeDomainDto,
  examples: {
    tracking: {
      summary: 'Tracking',
      value: { open_tracking: true, click_tracking: true, tracking_exclude: ['login.example.com'] },
    },
    security: { summary: 'TLS only', value: { tls: 'enforced' } },
    retention: { summary: 'Shorter retention', value: { body_retention_days: 7, captured_retention_days: 1 } },
  },
  response: DomainDto,
  errors: [400, 404],
  uses: [DomainEntries],
  run: ({ caller, id, body }, entries) => entries.change(caller, id, body),
});

const verify = operation({
  tag,
  rest: 'POST /:id/verify',
  graphql: {
    field: 'Mutation.verifyDomain',
    about:
      'Starts a check of the DNS records; the result contains those of the previous check. At most one check per domain in ' +
      'ten seconds.',
    arguments: theDomain,
  },
  scope: 'domains.write',
  summary: 'Check the DNS records of a domain now',
  description:
    'The check starts at once and takes a few seconds; the response contains the results of the previous check. More than one check per domain in ten seconds is answered 429. The records are then checked every minute for one hour.',
  path: ['id'],
  response: DomainDto,
  errors: [404],
  uses: [DomainEntries],
  run: ({ caller, id }, entries) => entries.requestCheck(caller, id),
});

const rotate = operation({
  tag,
  rest: 'POST /:id/dkim/rotate',
  graphql: {
    field: 'Mutation.rotateDomainKey',
    about:
      'Creates new DKIM keys and adds their records to `records`. After two checks have found them, emails are signed with ' +
      'the new keys; the old records must stay in DNS for seven days.',
    arguments: theDomain,
  },
  scope: 'domains.write',
  summary: 'Rotate the DKIM keys of a domain',
  description:
    'Creates new keys and adds their records to `records`. Publish them beside the current ones; with CNAMEs to the service no change is needed. After two checks have found the new records, emails are signed with the new keys. The records of the old keys must stay in DNS for seven days. A second rotation during a rotation, or within seven days after it, is answered 409.',
  path: ['id'],
  response: DomainDto,
  status: 202,
  errors: [404, 409],
  uses: [DkimRotation, AuditLog],
  run: ({ caller, id }, rotation, audit) =>
    rotation.rotate(rotationRequest({ caller, id, audit }, 'domain.dkim_rotated')),
});

const cancelRotation = operation({
  tag,
  rest: 'DELETE /:id/dkim/rotate',
  graphql: {
    field: 'Mutation.cancelDomainKeyRotation',
    about: 'Cancels the rotation of the DKIM keys. Possible until emails are signed with the new keys.',
    arguments: theDomain,
  },
  scope: 'domains.write',
  summary: 'Cancel the rotation of the DKIM keys of a domain',
  description: 'Possible until emails are signed with the new keys; afterwards, and without a rotation, 409.',
  path: ['id'],
  response: DomainDto,
  errors: [404, 409],
  uses: [DkimRotation, AuditLog],
  run: ({ caller, id }, rotation, audit) =>
    rotation.cancel(rotationRequest({ caller, id, audit }, 'domain.dkim_rotation_canceled')),
});

const remove = operation({
  tag,
  rest: 'DELETE /:id',
  graphql: {
    field: 'Mutation.deleteDomain',
    about:
      'Removes the domain and its DKIM keys permanently. Its queued emails fail, and API keys restricted to it are disabled.',
    arguments: theDomain,
    type: DeletedType,
  },
  scope: 'domains.write',
  summary: 'Remove a domain',
  description:
    'Removes the domain and its DKIM keys permanently. Queued and scheduled emails of the domain fail within five seconds with the reason `domain_removed`; API keys restricted to this domain alone are disabled. The suppressions of the domain are kept and apply again, under the new id, if the account adds the name again.',
  path: ['id'],
  response: DomainDeletedDto,
  errors: [404],
  uses: [AccountDomains],
  run: async ({ caller, id }, domains) =>
    (await domains.remove(caller, id)) ? { object: 'domain', id, deleted: true } : null,
});

const domainStats = operation({
  tag: 'Statistics',
  rest: 'GET /:id/stats',
  // `Query.domainStats` has arguments of its own.
  graphql: null,
  scope: 'stats.read',
  summary: 'Get counts of a domain',
  description:
    'Numbers of recipients: by default those of the last 24 hours, or those from `from` to `to`. Events are counted within ' +
    'five seconds, later after an outage of the statistics store. With any other parameter the response is that of `GET /stats`, limited to the domain. Unknown parameters ' +
    'are refused.',
  path: ['id'],
  query: MetricsParametersDto,
  strictQuery: true,
  responses: [DomainStatsDto, StatsDto],
  errors: [400, 404],
  uses: [SendingDomains, StatsStore],
  run: async ({ caller, id, query }, domains, stats) => {
    const window = countsWindow(query);
    const domain = await domains.find(caller, id);
    if (domain === null) return null;
    if (window === null) return metricsResponse(stats, caller, { ...query, domain_id: id });
    return domainStatsResponse(await stats.domainStats(caller, id, window));
  },
});

/** Sending domains of the account. */
export const DOMAINS: OperationGroup = {
  name: 'Domains',
  path: 'domains',
  operations: { add, list, find, change, verify, rotate, cancelRotation, remove, domainStats },
};

function domainStatsResponse({ domainId, from, to, ...stats }: DomainStats): DomainStatsDto {
  const counts = Object.fromEntries(STATS_COUNTERS.map((counter) => [counter, stats[counter]]));
  return {
    object: 'domain_stats',
    domain_id: domainId,
    from: from.toISOString(),
    to: to.toISOString(),
    ...(counts as Record<StatsCounter, number>),
  };
}

function rotationRequest(
  { caller, id, audit }: { caller: Principal; id: string; audit: AuditLog },
  action: string,
): RotationRequest {
  const { accountId, keyId: actor, ip } = caller;
  return {
    visibility: caller,
    id,
    alongside: (tx) => audit.record(tx, { accountId, actor, ip, action, target: id, details: {} }),
  };
}
