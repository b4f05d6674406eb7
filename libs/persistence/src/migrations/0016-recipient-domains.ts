const DOMAIN_KEY = `('x' || encode(substring(sha256(convert_to(e.account_id || ' ' || t.domain, 'UTF8')) FROM 1 FOR 4), 'hex'))::bit(32)::int`;

/** Indexes of `libs/emails` for lists of messages by the domain of a recipient, and of messages that are waiting. */
export const RECIPIENT_DOMAINS = {
  name: 'RecipientDomains1700000000016',
  online: [
    // 32 bits of a hash of account and domain; NULL unless the recipient is the first of the message at its domain, so that
    // the index has one short entry per message and domain.
    'ALTER TABLE recipients ADD COLUMN IF NOT EXISTS domain_key integer',
    {
      table: 'recipients',
      key: ['email_id', 'ordinal'],
      set: `UPDATE recipients t SET domain_key = ${DOMAIN_KEY}
              FROM emails e
             WHERE BATCH AND e.id = t.email_id AND t.domain_key IS DISTINCT FROM ${DOMAIN_KEY}
               AND NOT EXISTS (SELECT 1 FROM recipients earlier
                                WHERE earlier.email_id = t.email_id AND earlier.ordinal < t.ordinal
                                  AND earlier.domain = t.domain)`,
    },
    { index: 'recipients_domain', on: 'recipients (domain_key, email_id) WHERE domain_key IS NOT NULL' },
    // The status of a message is the worst of its recipients: another recipient of these may be waiting. By state, because an
    // index that names status would keep its change to delivered from being a HOT update.
    {
      index: 'emails_partly_failed',
      on: `emails (account_id, id)
        WHERE recipient_count > 1 AND split_part(state, ' ', 1) IN ('failed', 'bounced', 'complained')`,
    },
  ],
};
