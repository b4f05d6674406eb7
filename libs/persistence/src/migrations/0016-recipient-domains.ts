/** Indexes of `libs/emails` for lists of messages by the domain of a recipient, and of messages that are waiting. */
export const RECIPIENT_DOMAINS = {
  name: 'RecipientDomains1700000000016',
  statements: [
    // 32 bits of a hash of account and domain; NULL unless the recipient is the first of the message at its domain, so that
    // the index has one short entry per message and domain.
    `ALTER TABLE recipients ADD domain_key integer`,
    `UPDATE recipients SET domain_key =
              ('x' || encode(substring(sha256(convert_to(e.account_id || ' ' || recipients.domain, 'UTF8')) FROM 1 FOR 4), 'hex'))::bit(32)::int
       FROM emails e
      WHERE e.id = recipients.email_id
        AND NOT EXISTS (SELECT 1 FROM recipients earlier
                         WHERE earlier.email_id = recipients.email_id AND earlier.ordinal < recipients.ordinal
                           AND earlier.domain = recipients.domain)`,
    `CREATE INDEX recipients_domain ON recipients (domain_key, email_id) WHERE domain_key IS NOT NULL`,
    // The status of a message is the worst of its recipients: another recipient of these may be waiting. By state, because an
    // index that names status would keep its change to delivered from being a HOT update.
    `CREATE INDEX emails_partly_failed ON emails (account_id, id)
      WHERE recipient_count > 1 AND split_part(state, ' ', 1) IN ('failed', 'bounced', 'complained')`,
  ],
};
