-- Bounce rate by mailbox provider and hour. FINAL leaves out copies that are not merged yet.
SELECT
    formatDateTime(toStartOfHour(at), '%Y-%m-%dT%H:00Z', 'UTC') AS hour,
    if(provider = '', 'none', provider) AS provider,
    countIf(type = 'email.delivered') AS delivered,
    countIf(type = 'email.bounced') AS bounced,
    toDecimalString(bounced / (delivered + bounced), 4) AS bounce_rate
FROM postloft_events FINAL
WHERE type IN ('email.delivered', 'email.bounced') AND mode = 'live'
GROUP BY hour, provider
ORDER BY hour, provider;
