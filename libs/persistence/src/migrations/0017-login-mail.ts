/** Columns of `libs/emails`: messages of the service with links that log in the recipient. */
export const LOGIN_MAIL = {
  name: 'LoginMail1700000000017',
  statements: [
    // Constant defaults: PostgreSQL rewrites no row.
    `ALTER TABLE emails ADD is_login_mail boolean NOT NULL DEFAULT false, ALTER is_login_mail SET STATISTICS 0`,
    `ALTER TABLE captured_messages ADD is_login_mail boolean NOT NULL DEFAULT false`,
    // By the tag, which has an index by account. Only messages of the service itself have no key.
    `UPDATE emails e SET is_login_mail = true
       FROM accounts a JOIN email_tags t ON t.account_id = a.id AND t.key = 'notice' AND t.value = 'login'
      WHERE e.id = t.email_id AND e.api_key_id IS NULL`,
    // Copies that a retry made under a key have the tags of the original.
    `UPDATE emails e SET is_login_mail = true
       FROM accounts a JOIN email_tags t ON t.account_id = a.id AND t.key = 'notice' AND t.value = 'login'
       JOIN emails copied ON copied.id = t.email_id
       JOIN emails original ON original.id = copied.retry_of AND original.is_login_mail
      WHERE e.id = copied.id`,
    `UPDATE captured_messages c SET is_login_mail = true FROM emails e WHERE e.id = c.email_id AND e.is_login_mail`,
  ],
};
