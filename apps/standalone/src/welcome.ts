import type { Config } from '#libs/kernel';

/** What this start created. */
interface Created {
  /** An API key; null if there was one. */
  firstKey: string | null;
  /** Logs the first user in to the dashboard; null if that user can log in otherwise. */
  loginUrl: string | null;
}

/** The text printed after the start. */
export function welcome(config: Config, { firstKey, loginUrl }: Created): string {
  const s = config.settings;
  const base = s.PUBLIC_URL;
  const body = JSON.stringify({
    from: `hello@${s.BOOTSTRAP_DOMAINS[0] ?? 'example.com'}`,
    to: 'you@example.com',
    subject: 'First mail',
    text: 'It works.',
  });
  const auth = firstKey === null ? '-H "Authorization: Bearer $API_KEY"' : `-H 'Authorization: Bearer ${firstKey}'`;
  const lines = [
    '',
    `  Postloft is running (delivery mode: ${s.DELIVERY_MODE}).`,
    '',
    loginUrl === null
      ? `  Dashboard          ${base}/app/`
      : `  Dashboard          ${loginUrl}  (first login, within 15 minutes)`,
    `  REST and GraphQL   ${base}  and  ${base}/graphql`,
    `  Documentation      ${base}/docs`,
    `  SMTP relay         ${s.SMTP_HOST}:${s.SMTP_PORT} (STARTTLS), ${s.SMTP_HOST}:${s.SMTPS_PORT} (TLS)`,
    `  Inbound SMTP       ${s.SMTP_HOST}:${s.INBOUND_SMTP_PORT} (bounces, complaints)`,
  ];
  if (firstKey !== null) lines.push(`  First API key      ${firstKey}  (shown this once)`);
  // The operator's own key is a secret that the log of a supervisor must not keep.
  else if (s.BOOTSTRAP_API_KEY !== undefined) lines.push('  API key            as set by BOOTSTRAP_API_KEY');
  else
    lines.push(
      '  API key            as shown at the first start; npm run -s cli -- api-keys create <account> creates another',
    );
  lines.push(
    '',
    '  Send an email:',
    `  curl -s ${base}/emails ${auth} -H 'Content-Type: application/json' -d '${body}'`,
  );
  if (s.DELIVERY_MODE === 'capture') {
    lines.push(
      '',
      '  Capture mode: messages are captured and not sent.',
      '  List them:',
      `  curl -s ${base}/captured ${auth}`,
    );
    if (!['127.0.0.1', '::1', 'localhost'].includes(s.HTTP_HOST))
      lines.push(
        '',
        `  Warning: HTTP_HOST is ${s.HTTP_HOST}, reachable from outside, while messages are captured, not sent.`,
      );
  }
  return [...lines, ''].join('\n');
}
