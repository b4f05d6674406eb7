import type { Config } from '#libs/kernel';

/** What a newcomer needs to see after a start, in the order of need. `firstKey`: made by this start, not shown before. */
export function welcome(config: Config, firstKey: string | null): string {
  const s = config.settings;
  const base = s.PUBLIC_URL;
  const key = firstKey ?? s.BOOTSTRAP_API_KEY ?? null;
  const mail = JSON.stringify({
    from: `hello@${s.BOOTSTRAP_DOMAINS[0] ?? 'example.com'}`,
    to: 'you@example.com',
    subject: 'First mail',
    text: 'It works.',
  });
  const auth =
    key === null ? '-H "Authorization: Bearer $API_KEY"' : `-H ${inSingleQuotes(`Authorization: Bearer ${key}`)}`;
  const lines = [
    '',
    `  Postloft is running (delivery mode: ${s.DELIVERY_MODE}).`,
    '',
    `  REST and GraphQL   ${base}  and  ${base}/graphql`,
    `  Documentation      ${base}/docs`,
    `  SMTP relay         ${s.SMTP_HOST}:${s.SMTP_PORT} (STARTTLS), ${s.SMTP_HOST}:${s.SMTPS_PORT} (TLS)`,
    `  Bounces come to    ${s.SMTP_HOST}:${s.INBOUND_SMTP_PORT}`,
  ];
  if (firstKey !== null) lines.push(`  First API key      ${firstKey}  (shown this once)`);
  else if (key === null)
    lines.push(
      '  API key            as shown at the first start; npm run -s cli -- api-keys create <account> makes another',
    );
  lines.push('', '  Send a mail:', `  curl -s ${base}/emails ${auth} -H 'Content-Type: application/json' -d '${mail}'`);
  if (s.DELIVERY_MODE === 'capture') {
    lines.push(
      '',
      '  Nothing leaves this machine: mail is kept in the capture inbox.',
      '  Look at it:',
      `  curl -s ${base}/captured ${auth}`,
    );
    if (!['127.0.0.1', '::1', 'localhost'].includes(s.HTTP_HOST))
      lines.push(
        '',
        `  Warning: HTTP_HOST is ${s.HTTP_HOST}, reachable from outside, while mail is only captured, not sent.`,
      );
  }
  return [...lines, ''].join('\n');
}

/** For a shell, which expands nothing in it. */
const inSingleQuotes = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;
