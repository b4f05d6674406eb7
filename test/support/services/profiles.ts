/** The five services that the system tests share. */
export const SERVICE_NAMES = ['rest', 'smtp', 'delivery', 'inbound', 'webhooks'] as const;
export type ServiceName = (typeof SERVICE_NAMES)[number];

/** A provider of the shaping file, for mail exchangers below this domain. */
export const LETTERBOX = 'letterbox.test';
export const LETTERBOX_SUSPENSION_MS = 4_000;
/** Limits of a delivery attempt on the service `delivery`, in seconds. */
export const PHASE_SECONDS = 3;
const DOT_SECONDS = 4;
const ATTEMPT_SECONDS = 8;
/** Types that are refused by default; the service `smtp` allows them. */
const ALLOWED_TYPES = 'text/calendar,application/xml,application/json,message/rfc822';
/** Requests of an account on the service `webhooks`; its tests ask slowly. */
export const RATE_PER_SECOND = 20;
/** Where the service `inbound` says that the public finds it. */
export const PUBLIC_URL = 'https://api.postloft.example.net';
/** For `/metrics` of that service, which are not for everybody on a public one. */
export const METRICS_TOKEN = 'metrics-token-0123456789';

/** What all services of a run have in common. */
export interface SharedEnvironment {
  /** `127.0.0.1:port` of the DNS forwarder. */
  dns: string;
  /** One port for the mail servers of all files, each on a loopback address of its own. */
  mxPort: string;
  /** One port for the web servers with MTA-STS policies, likewise. */
  policyPort: string;
  /** PEM files. */
  authority: string;
  certificate: { cert: string; key: string };
  shapingFile: string;
}

/** Settings beside ports and data directory. A test that needs others goes to another service or starts one of its own. */
export function settingsOf(name: ServiceName, shared: SharedEnvironment): Record<string, string> {
  const all = { DNS_SERVERS: shared.dns, DOMAIN_CHECK_INTERVAL: '500ms' };
  // The inbound port is also the one that mail servers are expected on, so the service can find itself as an MX.
  const mx = { ...all, DELIVERY_MODE: 'mx', MX_PORT: shared.mxPort, ALLOW_PRIVATE_MX: 'true' };
  switch (name) {
    // Both in capture mode. Files log in from 127.0.0.1 at the same time, many of them wrongly on purpose.
    case 'rest':
      return { ...all, ...manyLogins() };
    case 'smtp':
      return { ...all, ...manyLogins(), ATTACHMENT_TYPES: ALLOWED_TYPES };
    // Retries and time-outs of seconds, for servers that misbehave.
    case 'delivery':
      return {
        ...mx,
        INBOUND_SMTP_PORT: shared.mxPort,
        MTA_STS_PORT: shared.policyPort,
        NODE_EXTRA_CA_CERTS: shared.authority,
        SHAPING_FILE: shared.shapingFile,
        DELIVERY_RETRY_SCHEDULE: '1s,2s',
        DELIVERY_LIFETIME: '16s',
        DELIVERY_CONCURRENCY: '500',
        SMTP_OUT_TIMEOUTS: outgoingTimeouts(),
      };
    // Delivery with the limits that the service is shipped with.
    case 'inbound':
      return { ...mx, PUBLIC_URL, METRICS_TOKEN };
    // A rate that tests can exceed on any machine.
    case 'webhooks':
      return {
        ...all,
        WEBHOOK_RETRY_SCHEDULE: '300ms,300ms',
        RATE_LIMIT_PER_SECOND: String(RATE_PER_SECOND),
        SMTP_TLS_CERT: shared.certificate.cert,
        SMTP_TLS_KEY: shared.certificate.key,
      };
  }
}

function manyLogins(): Record<string, string> {
  return { HTTP_AUTH_FAILURES_PER_MINUTE: '10000', SMTP_AUTH_FAILURES_PER_MINUTE: '10000' };
}

function outgoingTimeouts(): string {
  const phases = ['connect', 'greeting', 'ehlo', 'mail', 'rcpt', 'data'].map((phase) => `${phase}=${PHASE_SECONDS}s`);
  return [...phases, `dot=${DOT_SECONDS}s`, `total=${ATTEMPT_SECONDS}s`].join();
}

/** `SHAPING_FILE` of the service `delivery`: a provider with automations, and a second source that a tag selects. */
export function shapingFile(): object {
  const suspend = (id: string, words: string, minutes: number) => ({
    id,
    code: 421,
    words,
    action: 'suspend',
    minutes,
  });
  return {
    sources: {
      main: [{ address: '127.0.0.1' }],
      news: [{ address: '127.0.0.2', helo: 'news.postloft.test' }],
    },
    rules: [{ tag: 'stream=news', pool: 'news' }],
    providers: {
      letterbox: {
        mx: [LETTERBOX],
        connections: 4,
        automations: [
          suspend('letterbox-soon', 'come back soon', LETTERBOX_SUSPENSION_MS / 60_000),
          suspend('letterbox-tomorrow', 'tomorrow', 600),
        ],
      },
    },
  };
}
