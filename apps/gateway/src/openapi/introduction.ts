import { LIMITS } from '#libs/contracts';

const OVERVIEW = `
Transactional email over HTTP and SMTP. Every path is also available under \`/v1\`. Requests and responses are JSON with
names in \`snake_case\`. Timestamps are ISO 8601 in UTC; timestamps in requests need an offset or \`Z\`.
Null in an optional field of a request is taken as absent, unless the field has null as a value.
`;

const gettingStarted = (url: string) => `
## Getting started

1. Get an API key. The first one is printed at the first start; \`npm run -s cli -- accounts create --name Me --json\`
   creates an account with a key, and \`POST /api-keys\` creates more.
2. Add a sending domain with \`POST /domains\`, publish the records in the response, and wait until its status is
   \`active\`.
3. Send an email:

\`\`\`sh
curl ${url}/emails \\
  -H 'Authorization: Bearer <API_KEY>' \\
  -H 'Content-Type: application/json' \\
  -d '{"from":"Shop <hello@mail.example.com>","to":"user@example.net","subject":"Hello","text":"It works."}'
\`\`\`

Emails of a key that starts with \`pl_test_\` are checked and recorded but never delivered. Addresses of the simulator,
such as \`bounced@sim.…\` of the service's domain, produce one outcome each.
`;

const KEYS = `
## Keys and scopes

Send the key as \`Authorization: Bearer <API_KEY>\`. \`x-required-scope\` of an operation is the scope that the key needs.
A key with \`full_access\` has all scopes, one with \`sending_access\` only \`emails.send\`. A key can also be restricted to
sending domains and IP addresses, and can expire. A revoked key is refused within one second.

A key that is restricted to domains sees and changes only what belongs to them: anything else is not in lists and answered
404, and naming another domain is answered 403. It reads the suppressions of its domains and of the account, but changes only
those with one of its \`domain_id\`s; it sees and changes only webhooks whose \`domain_ids\` are among its own. A test key sees
and changes test data only; it reads domains, webhooks, suppressions and keys, but cannot change them (403).
`;

const ERRORS = `
## Errors

All errors have the same format. \`error\` is the kind of error, one per status; \`name\` is the reason; \`details\` lists all
problems of the first failed check, each with the path of its field. When you report a problem, include \`request_id\`,
which is also the header \`x-request-id\` of every response.

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

Checks run in this order: key (401, or 429 after many wrong ones), account, scope and address of the caller (403), rate
(429), route (404, 405), declared size (422), body and parameters (400), idempotency (409), sender domain (403, 422),
attachments and size (422), suppressed recipients (422), monthly allowance (429). Resources of other accounts are
answered 404. Unknown fields are ignored and listed in the header \`x-ignored-fields\`.
`;

const IDEMPOTENCY = `
## Idempotency

Sending operations, and replays of webhooks, support the header \`Idempotency-Key\`. If a request gets no response, or 429, 500 or 503, repeat it
with the same key and the same body. An email that was already accepted is not sent again: the first response is
returned with \`idempotent-replayed: true\`, even if its \`scheduled_at\` has passed. A different body with the same key is
refused with 409. Keys are kept for ${LIMITS.idempotencyHours} hours.
`;

const REQUEST_LIMITS = `
## Limits

Requests: by default 100 per second and account, for all keys and SMTP together. Every response has the headers
\`ratelimit-limit\`, \`ratelimit-remaining\` and \`ratelimit-reset\` (seconds); 429 adds \`retry-after\`. When the monthly
allowance is used up, the response is 429 with \`x-quota-limit\`, \`x-quota-remaining\` and \`x-quota-reset\`, and without
\`retry-after\`. Per client address, 429 is also the response beyond 200 connections by default, and to keys that were not
used recently after 20 different wrong ones in a minute.

One email: ${LIMITS.recipientsPerField} addresses each in \`to\`, \`cc\` and \`bcc\`, ${LIMITS.attachmentCount} attachments, 10 MiB in all,
${LIMITS.headerCount} headers, ${LIMITS.tagCount} tags, scheduled at most 72 hours ahead. One batch: ${LIMITS.batchElements} emails.

JSON bodies, unknown fields included, must not contain U+0000, unpaired surrogates, names of more than 256 bytes, or the
names \`__proto__\`, \`constructor\` and \`prototype\`.
`;

const LISTS = `
## Lists

Unbounded lists are newest first: \`{"object":"list","has_more":…,"data":[…],"next_cursor":…}\`. \`limit\` is 1 to
${LIMITS.listMaximum} (default ${LIMITS.listDefault}); pass \`next_cursor\` as \`after\` to get the next page. \`after\` and \`before\` cannot be combined.
`;

const WEBHOOKS = `
## Webhooks

Each event is one POST with \`type\`, \`created_at\` and \`data\`. Its id is the header \`webhook-id\`, the same for every
retry. Any 2xx response within 15 seconds acknowledges the event; otherwise it is retried for about three days. Events
are delivered at least once and in any order: \`x-service-sequence\` numbers the events of one email. Verify the signature
over the raw body:

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

The headers \`webhook-id\`, \`webhook-timestamp\` and \`webhook-signature\` contain the signature in the format of Standard
Webhooks, for its libraries. During the rotation of a secret, both signatures are sent.
`;

/**
 * The introduction of the API documentation, in Markdown.
 * @param url base URL of the API, without a trailing slash
 */
export function introduction(url: string): string {
  return [OVERVIEW, gettingStarted(url), KEYS, ERRORS, IDEMPOTENCY, REQUEST_LIMITS, LISTS, WEBHOOKS]
    .map((part) => part.trim())
    .join('\n\n');
}
