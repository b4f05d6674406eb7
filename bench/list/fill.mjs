// Inserts messages for the list measurement with SQL, because accepting a million messages over the API takes too long.
import { onServer } from '../postgres.mjs';

/** The messages are spread over this time, one every 5.2 s with a million. */
const DAYS = 60;
const CHUNK = 50_000;
/** The oldest messages, with numbers below this, have the rare values. */
const OLDEST = 1_000;
/** @param {number} n */
const domainId = (n) => `dom_0000000000007000800000000000000${n}`;
export const DOMAINS = { half: domainId(1), rest: domainId(2), oldest: domainId(3), none: domainId(4) };

/** True for half of the messages, evenly spread and independent of the other bits. @param {number} bit */
const isHalf = (bit) => `((n >> ${bit}) & 1 = 0)`;
/**
 * One value for the oldest messages, one for half of the others, one for the rest; each an SQL expression.
 * @param {number} bit @param {{ oldest: string, half: string, rest: string }} values
 */
const halved = (bit, { oldest, half, rest }) =>
  `CASE WHEN n < ${OLDEST} THEN ${oldest} WHEN ${isHalf(bit)} THEN ${half} ELSE ${rest} END`;
/** @param {string} address */
const addresses = (address) => ({
  oldest: `'oldest@${address}'`,
  half: `'half@${address}'`,
  rest: `'other@${address}'`,
});

const MESSAGES = `
  SELECT n, at, 'em_' || lpad(to_hex((extract(epoch FROM at) * 1000)::bigint), 12, '0') || '7' || lpad(to_hex(n & 4095), 3, '0')
            || '8' || lpad(to_hex(n), 15, '0') AS id,
         ${halved(0, { oldest: `'complained'`, half: `'delivered'`, rest: `'bounced'` })} AS status,
         ${halved(0, { oldest: `'complained'`, half: `'opened'`, rest: `'bounced'` })} AS last_event,
         ${halved(1, addresses('sender.example'))} AS sender,
         ${halved(2, { oldest: `'${DOMAINS.oldest}'`, half: `'${DOMAINS.half}'`, rest: `'${DOMAINS.rest}'` })} AS domain_id,
         ${halved(3, { oldest: `'Oldest ' || n`, half: `'Order ' || n || ' has shipped'`, rest: `'Welcome to our shop'` })} AS subject,
         ${halved(4, { ...addresses('customer.example'), oldest: `'oldest@old.example'`, rest: `'user' || n || '@customer.example'` })} AS recipient,
         ${halved(5, { oldest: `'oldest'`, half: `'half'`, rest: `'other'` })} AS campaign,
         CASE WHEN ${isHalf(6)} THEN at END AS scheduled_at
    FROM (SELECT n, $5::timestamptz - make_interval(secs => ($2::int - n) * ${DAYS} * 86400.0 / $2::int) AS at
            FROM generate_series($3::int, $4::int) AS n) AS numbers`;

const EMAILS = `
  INSERT INTO emails (id, account_id, domain_id, mode, source, status, last_event, sender, sender_address, header_to, header_cc,
      header_bcc, reply_to, subject, tags, message_id, size, recipient_count, sequence, created_at, updated_at, scheduled_at)
  SELECT id, $1, domain_id, 'live', 'rest', status, last_event, sender, sender, ARRAY[recipient], '{}', '{}', '{}', subject,
         jsonb_build_object('campaign', campaign, 'order', n::text), '<' || id || '@sender.example>', 2048, 1, 3, at, at, scheduled_at
    FROM (${MESSAGES}) AS messages`;

const RECIPIENTS = `
  INSERT INTO recipients (email_id, ordinal, address, domain, search_key, domain_key, type, status, attempts, expires_at, fence)
  SELECT id, 0, recipient, domain,
         ('x' || encode(substring(sha256(convert_to($1 || ' ' || recipient, 'UTF8')) from 1 for 8), 'hex'))::bit(64)::bigint,
         ('x' || encode(substring(sha256(convert_to($1 || ' ' || domain, 'UTF8')) from 1 for 4), 'hex'))::bit(32)::int,
         'to', status, 1, at, 1
    FROM (SELECT *, split_part(recipient, '@', 2) AS domain FROM (${MESSAGES}) AS messages) AS messages`;

const TAGS = `
  INSERT INTO email_tags (account_id, key, value, email_id)
  SELECT $1, tag.key, tag.value, id
    FROM (${MESSAGES}) AS messages CROSS JOIN LATERAL (VALUES ('campaign', campaign), ('order', n::text)) AS tag (key, value)`;

/**
 * Inserts messages of the last 60 days. Each column has one value in an independent half of them, and another value in
 * the oldest thousand.
 * @param {string} url @param {string} accountId @param {number} count
 */
export async function insertMessages(url, accountId, count) {
  const now = new Date();
  for (let from = 0; from < count; from += CHUNK) {
    const values = [accountId, count, from, Math.min(count, from + CHUNK) - 1, now];
    for (const statement of [EMAILS, RECIPIENTS, TAGS]) await onServer(url, statement, values);
  }
}

/** Brings the tables into the state in which autovacuum leaves them. @param {string} url */
export async function vacuumTables(url) {
  for (const table of ['emails', 'recipients', 'email_tags']) await onServer(url, `VACUUM (ANALYZE) ${table}`);
}
