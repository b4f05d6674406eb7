/** The second condition alone would be enough; the first one is cheap, and false for ASCII. */
const isNotComposed = (column: string): string =>
  `octet_length(${column}) <> char_length(${column}) AND ${column} IS NOT NFC NORMALIZED`;

/** Of the rows whose `column` is the same in Normalization Form C within `group`, the first by `order` is kept. */
const withoutRepetitions = (table: string, of: { column: string; group: string; order: string }): string =>
  `DELETE FROM ${table} WHERE id IN (
     SELECT id FROM (
       SELECT id, row_number() OVER (PARTITION BY ${of.group}, normalize(${of.column}, NFC) ORDER BY ${of.order}) AS place
         FROM ${table} WHERE octet_length(${of.column}) <> char_length(${of.column})) AS numbered
      WHERE place > 1)`;

/** Normalised addresses in Normalization Form C, and the keys that are derived from them. */
export const UNICODE_FORMS = {
  name: 'UnicodeForms1700000000020',
  statements: [
    // The order in which `storeSuppressions` prefers entries, and then the oldest.
    withoutRepetitions('suppressions', {
      column: 'address',
      group: `account_id, coalesce(domain_id, '')`,
      order: `expires_at DESC NULLS FIRST, origin = 'complaint' DESC, created_at, id`,
    }),
    `UPDATE suppressions SET address = normalize(address, NFC) WHERE ${isNotComposed('address')}`,
    withoutRepetitions('invitations', { column: 'email', group: 'account_id', order: 'expires_at DESC, id' }),
    `UPDATE invitations SET email = normalize(email, NFC) WHERE ${isNotComposed('email')}`,
    `UPDATE user_links SET email = normalize(email, NFC) WHERE ${isNotComposed('email')}`,
    // Two users are never merged: one that has the address in this form keeps it, otherwise the oldest gets it.
    `UPDATE users SET email = normalize(email, NFC)
      WHERE ${isNotComposed('email')}
        AND NOT EXISTS (SELECT FROM users other
                         WHERE other.id <> users.id AND octet_length(other.email) <> char_length(other.email)
                           AND normalize(other.email, NFC) = normalize(users.email, NFC)
                           AND (other.id < users.id OR other.email = normalize(users.email, NFC)))`,
    `UPDATE emails SET sender_address = normalize(sender_address, NFC) WHERE ${isNotComposed('sender_address')}`,
    // The hash of account and normalised address, as in `searchKey` of libs/emails. lower() of a database with the locale C
    // knows ASCII letters only: it is applied to letters without their accents.
    `UPDATE recipients SET search_key =
              ('x' || encode(substring(sha256(convert_to(
                 e.account_id || ' ' || normalize(lower(normalize(recipients.address, NFD)), NFC), 'UTF8')) FROM 1 FOR 8), 'hex'))::bit(64)::bigint
       FROM emails e
      WHERE e.id = recipients.email_id AND ${isNotComposed('recipients.address')}`,
  ],
};
