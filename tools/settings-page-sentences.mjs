/** What each setting means to an operator; names, defaults and allowed values come from the code. */
export const GROUPS = [
  {
    title: 'Where it listens and what it is called',
    settings: {
      DATA_DIR: 'Folder of everything that embedded mode keeps: database, statistics, master key, certificates.',
      HTTP_HOST: 'Address on which REST and GraphQL are served.',
      HTTP_PORT: 'Port for HTTP, and for GraphQL over WebSocket.',
      PUBLIC_URL: 'Base of all links that leave the service; follows `HTTP_PORT` when unset.',
      HTTP_TLS_CERT: 'PEM file with the certificate, where TLS ends here and not at a proxy. With `HTTP_TLS_KEY`.',
      HTTP_TLS_KEY: 'PEM file with the key of `HTTP_TLS_CERT`.',
      TRUST_PROXY:
        '`off` ignores `X-Forwarded-*`, `on` believes everybody, addresses or networks name the proxies to be believed.',
      RESEND_HOST:
        'Another name of this host under which clients of Resend find `/resend` without a path (see `docs/resend.md`).',
      SERVICE_DOMAIN:
        "The operator's own domain. Below it live `spf.`, `bounces.`, `smtp.`, `track.`, `sandbox.` and `sim.`.",
      OPS_HOST: 'Address of the port for `/healthz`, `/readyz` and `/metrics`.',
      OPS_PORT: 'Port for `/healthz`, `/readyz` and `/metrics` of this one program; closed when unset.',
      SIGNUP: 'Whether strangers may open accounts. Only `off` for now.',
    },
  },
  {
    title: 'SMTP, incoming',
    settings: {
      SMTP_HOST: 'Address on which the relay and the inbound door listen.',
      SMTP_PORT: 'Submission with STARTTLS; published as 587.',
      SMTPS_PORT: 'Submission with TLS from the first byte; published as 465.',
      INBOUND_SMTP_PORT: 'Where bounces, complaints and reports arrive; published as 25 (see `docs/inbound.md`).',
      SMTP_TLS_CERT:
        'PEM file with the certificate of the relay, read again when it changes. Unset: signed by itself and kept in `DATA_DIR`.',
      SMTP_TLS_KEY: 'PEM file with the key of `SMTP_TLS_CERT`.',
      SMTP_CONNECTIONS_PER_IP: 'Open connections that one address may hold, to the relay and to the inbound door each.',
      SMTP_AUTH_FAILURES_PER_MINUTE: 'Failed logins from one address before it is turned away for a while.',
    },
  },
  {
    title: 'Engines',
    text: 'The standalone program brings its own; `start:gateway` and its four sisters need `DATABASE_URL`, `CLICKHOUSE_URL` and `MASTER_KEY`.',
    settings: {
      DATABASE_URL: 'PostgreSQL 14 or newer. Unset: an embedded server in `DATA_DIR`.',
      KAFKA_BROKERS: 'Brokers as host:port. Unset: PostgreSQL carries the event log.',
      KAFKA_SASL_MECHANISM: 'How to log in to Kafka.',
      KAFKA_SASL_USERNAME: 'User name for Kafka; with `KAFKA_SASL_PASSWORD`.',
      KAFKA_SASL_PASSWORD: 'Password for Kafka.',
      KAFKA_SSL: 'TLS towards the brokers.',
      KAFKA_TOPIC_PREFIX: 'Beginning of the names of topics and consumer groups.',
      CLICKHOUSE_URL: 'ClickHouse over HTTP, as `http://user:password@host:port/database`. Unset: chDB in the process.',
      MASTER_KEY:
        'Seals secrets at rest; made in `DATA_DIR` when unset, required with `DATABASE_URL`. Whoever loses it loses keys and signatures.',
    },
  },
  {
    title: 'Delivery',
    settings: {
      DELIVERY_MODE:
        "`capture` keeps mail in the built-in inbox and sends nothing, `mx` delivers to the recipients' servers, `smarthost` hands over to `SMARTHOST_URL`.",
      SMARTHOST_URL: 'The server that gets all mail, as `smtp://user:password@host:port` or `smtps://…`.',
      MX_PORT: 'Port of the MX hosts; another one than 25 makes sense in tests only.',
      ALLOW_PRIVATE_MX:
        'Permits MX hosts, and hosts of MTA-STS policies, on loopback and private addresses, for tests and intranets. Without it, mail to such hosts bounces (5.4.4), also what waited.',
      MTA_STS_PORT: 'Port of the hosts of MTA-STS policies; another one than 443 makes sense in tests only.',
      DANE: '`auto` looks for TLSA records when the first of `DNS_SERVERS` is on this machine and checks signatures (see `docs/transport-security.md`), `off` never does.',
      NTP_SERVERS: 'Time servers, as host or host:port, that `doctor` compares the clock with.',
      DNS_SERVERS: "Servers that get every DNS question, as ip or ip:port. Unset: the system's.",
      DELIVERY_CONCURRENCY:
        'Mails that one process has between `MAIL` and the writing of their outcome: the most that a crash can send twice. Four times as many may be under way, up to 2,000.',
      CONNECTIONS_PER_HOST: 'Open connections from one process to one receiving host.',
      SHAPING_FILE:
        'JSON file with limits per mailbox provider, source addresses and warm-up, over the shipped ones (see `docs/delivery.md`).',
      DELIVERY_RETRY_SCHEDULE: 'Waits between attempts after a temporary failure; the last one repeats.',
      DELIVERY_LIFETIME: 'How long a mail is tried before it fails, unless it says `expires_in` itself.',
      SMTP_OUT_TIMEOUTS:
        'How long each step of an outgoing conversation may take, at most 24d; steps that are not named keep their default.',
      DKIM_SIGNING: 'Signs what goes out; `off` for measurements and for smarthosts that sign.',
    },
  },
  {
    title: 'Accounts and domains',
    text: 'What begins with `BOOTSTRAP_` counts at the first start on an empty database only.',
    settings: {
      BOOTSTRAP_API_KEY: 'API key of the first account. Unset: a random one, printed once.',
      BOOTSTRAP_ADMIN_EMAIL: "Login of the first account's owner in the dashboard; accepted, without effect for now.",
      BOOTSTRAP_ADMIN_PASSWORD:
        "Password of the first account's owner in the dashboard; accepted, without effect for now.",
      BOOTSTRAP_PLAN: 'Plan of the first account: `free` is 3,000 units a month. Every later account starts as `free`.',
      BOOTSTRAP_DOMAINS:
        'Domains that the first account may send from at once, because the operator vouches for them; follows `SERVICE_DOMAIN` when unset.',
      RATE_LIMIT_PER_SECOND: 'Requests per second and account; `0` turns the limit off.',
      ALLOWANCE_UNIT: 'What a monthly allowance counts: accepted recipients, or mails.',
      ABUSE_BRAKES: 'Pauses an account with too many bounces or complaints; accepted, without effect for now.',
      DOMAIN_CHECK_INTERVAL:
        'Wait between checks of a new domain in its first hour; every later wait keeps its ratio to this one.',
      DKIM_ROTATION_DAYS:
        'Age at which keys are replaced by themselves, at domains whose DKIM names are aliases to `dkim.` (see `docs/domains.md`); `0`: never.',
    },
  },
  {
    title: 'Webhooks',
    settings: {
      WEBHOOK_RETRY_SCHEDULE:
        'Waits between calls that were not answered with 2xx; after the last the delivery failed.',
      WEBHOOK_TIMEOUT: 'How long one call may take, from the name lookup to the status line.',
      ALLOW_PRIVATE_WEBHOOKS:
        'Permits plain http and private addresses as targets of webhooks and for `path` of attachments; for development and tests.',
    },
  },
  {
    title: 'Log',
    settings: {
      LOG_LEVEL: 'The least important lines that are still written.',
      LOG_FORMAT: '`pretty` for people, `json` for machines: one event, one line.',
    },
  },
];
