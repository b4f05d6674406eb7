import { LIMITS } from '#libs/contracts';

const OVERVIEW = `
Transactional e-mail over HTTP and SMTP. Every path works bare and under \`/v1\`; bodies and answers are JSON, names are
\`snake_case\`, timestamps are ISO 8601 in UTC. Given timestamps need an offset or \`Z\`.
`;

const gettingStarted = (url: string) => `
## Getting started

1. Take an API key. The first one is printed at the first start; \`npm run -s cli -- accounts create --name Me --json\`
   makes an account with a key, and \`POST /api-keys\` makes more.
2. Add a sending domain with \`POST /domains\`, publish the records of the answer, wait until its status is \`active\`.
3. Send:

\`\`\`sh
curl ${url}/emails \\
  -H 'Authorization: Bearer <API_KEY>' \\
  -H 'Content-Type: application/json' \\
  -d '{"from":"Shop <hello@mail.example.com>","to":"user@example.net","subject":"Hello","text":"It works."}'
\`\`\`

A key whose name begins with \`pl_test_\` checks and records everything and delivers nothing. Addresses at the simulator,
such as \`bounced@sim.…\` of the service's domain, play one outcome each.
`;

const KEYS = `
## Keys and scopes

Send the key as \`Authorization: Bearer <API_KEY>\`. Each operation names the scope that it needs in
\`x-required-scope\`; a key with \`full_access\` has all scopes, one with \`sending_access\` only \`emails.send\`.
A key can also be limited to the domains that it sends from, to IP addresses and in time. The limit to domains is one of
sending: what else its scopes allow, the key may do in the whole account. A revoked key is refused within a second.
`;

const ERRORS = `
## Errors

Every error has one shape. \`error\` tells the kind, one per status; \`name\` tells the reason; \`details\` lists every
problem of the first check that failed, each with the path of its field. Tell us \`request_id\`, which is also the header
\`x-request-id\` of every answer, when you ask about one.

\`\`\`json
{
  "statusCode": 400,
  "name": "validation_error",
  "error": "bad_request",
  "message": "to[1] must be an address.",
  "details": [{ "field": "to[1]", "code": "invalid_address", "message": "must be an address" }],
  "request_id": "req_5b9a2c0d6f3e4c1d8a7b9e0f1a2b3c4d"
}
\`\`\`

Checks run in this order: key (401), account, scope and address of the caller (403), rate (429), route (404, 405),
declared size (422), body and parameters (400), idempotency (409), sender domain (403, 422), attachments and size (422),
suppressed recipients (422), monthly allowance (429). Things of other accounts do not exist: 404. Fields that an
operation does not know are ignored and named in the header \`x-ignored-fields\`.
`;

const SENDING_ONCE = `
## Sending once

Sending takes the header \`Idempotency-Key\`. Repeat a request that got no answer, or 429, 500 or 503, with the same key
and the same body: what was stored is not stored again, and the first answer comes with \`idempotent-replayed: true\`.
Another body under the same key is refused with 409. Keys are kept for ${LIMITS.idempotencyHours} hours.
`;

const REQUEST_LIMITS = `
## Limits

Requests: by default 100 per second and account, all keys and SMTP together. Every answer has \`ratelimit-limit\`,
\`ratelimit-remaining\` and \`ratelimit-reset\` (seconds); 429 adds \`retry-after\`. When the monthly allowance is used up
the answer is 429 with \`x-quota-limit\`, \`x-quota-remaining\` and \`x-quota-reset\`, and without \`retry-after\`.

One mail: ${LIMITS.recipientsPerField} addresses each in \`to\`, \`cc\` and \`bcc\`, ${LIMITS.attachmentCount} attachments, 10 MiB in all,
${LIMITS.headerCount} headers, ${LIMITS.tagCount} tags, at most 72 hours ahead. One batch: ${LIMITS.batchElements} mails.
`;

const LISTS = `
## Lists

Unbounded lists are newest first: \`{"object":"list","has_more":…,"data":[…],"next_cursor":…}\`. \`limit\` is 1 to
${LIMITS.listMaximum} (default ${LIMITS.listDefault}); give \`next_cursor\` as \`after\` for the next page. \`after\` and \`before\` exclude each other.
`;

const WEBHOOKS = `
## Webhooks

Each event is one POST with \`type\`, \`created_at\` and \`data\`; its id is the header \`webhook-id\`, the same on every
repeat. Any 2xx within 15 seconds accepts it; otherwise it is repeated for about three days. Events arrive at least once
and in any order: \`x-service-sequence\` counts those of one mail. Check the signature over the body as it came:

\`\`\`js
import { createHmac, timingSafeEqual } from 'node:crypto';

// header: the value of X-Service-Signature, "t=<unix seconds>,v1=<hex>[,v1=<hex>]"; secret: "whsec_…", as given
export function isGenuine(rawBody, header, secret) {
  const parts = header.split(',').map((part) => part.split('='));
  const time = parts.find(([name]) => name === 't')?.[1];
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < 300)) return false;
  const expected = createHmac('sha256', secret).update(\`\${time}.\${rawBody}\`).digest();
  return parts.some(([name, value]) => {
    const given = Buffer.from(value ?? '', 'hex');
    return name === 'v1' && given.length === expected.length && timingSafeEqual(given, expected);
  });
}
\`\`\`

The headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` carry the same proof for every library of
Standard Webhooks. While a secret is being rotated, both signatures are sent.
`;

/**
 * The beginning of the documentation, in Markdown: what a newcomer needs before the first operation.
 * @param url base of the API, without a slash at its end
 */
export function introduction(url: string): string {
  return [OVERVIEW, gettingStarted(url), KEYS, ERRORS, SENDING_ONCE, REQUEST_LIMITS, LISTS, WEBHOOKS]
    .map((part) => part.trim())
    .join('\n\n');
}
