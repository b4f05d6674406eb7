/** The meaning of each setting; names, defaults and allowed values come from the code. */
export const GROUPS = [
  {
    title: 'Addresses and names',
    settings: {
      DATA_DIR: 'Directory of the embedded database, statistics, master key and certificates.',
      HTTP_HOST: 'Address on which REST and GraphQL are served.',
      HTTP_PORT: 'Port for HTTP and for GraphQL over WebSocket.',
      PUBLIC_URL: 'Base of all links that leave the service. The default follows `HTTP_PORT`.',
      HTTP_TLS_CERT:
        'PEM file with the certificate, if the service itself terminates TLS instead of a proxy. Requires `HTTP_TLS_KEY`.',
      HTTP_TLS_KEY: 'PEM file with the key of `HTTP_TLS_CERT`.',
      HTTPS_PORT:
        'Port for HTTPS, beside `HTTP_PORT`, which then has no TLS. Certificates come from `HTTP_TLS_CERT` or by ACME (see `docs/certificates.md`). Unset: closed.',
      ACME_TERMS_AGREED:
        'Orders certificates by ACME for the hosts of this service, and says that you agree to the terms of the authority.',
      ACME_EMAIL: 'Address that the authority may write to about the account.',
      ACME_DIRECTORY_URL: 'Directory of the authority (RFC 8555). By default that of Let’s Encrypt.',
      ACME_HTTP_PORT:
        'Port on `HTTP_HOST` that answers the challenges of the authority, published as 80. Unset: only `HTTP_PORT` answers them.',
      TRUST_PROXY:
        '`off` ignores `X-Forwarded-*`, `on` trusts every client, addresses or networks name the trusted proxies.',
      RESEND_HOST: 'Additional host name that serves only the Resend-compatible routes, at `/` (see `docs/resend.md`).',
      SERVICE_DOMAIN:
        "The operator's own domain. The names `spf.`, `bounces.`, `smtp.`, `track.`, `sandbox.` and `sim.` are below it.",
      REGION:
        'Where the service processes mail, shown as `region` of domains: 2 to 32 lower-case letters, digits and hyphens. The Resend-compatible API shows the one of its four regions that begins with the same two letters, else `eu-west-1`.',
      HTTP_CONNECTIONS:
        'Open connections on `HTTP_PORT`, WebSockets included, from all clients together; at most a quarter of the limit of open files. Further ones are refused with 503.',
      HTTP_CONNECTIONS_PER_IP:
        'Open connections per client address (IPv6: per /64 network), WebSockets included. With `TRUST_PROXY`, requests in progress and WebSockets are counted instead, by forwarded address. Further ones are refused with 429.',
      HTTP_AUTH_FAILURES_PER_MINUTE:
        'Different wrong API keys per client address and minute before keys that were not used recently are refused with 429.',
      GRAPHQL_INTROSPECTION: 'Whether clients may read the GraphQL schema, which is public in `schema.gql`.',
      GRAPHQL_MAX_DEPTH: 'Levels of nested fields in one GraphQL document.',
      GRAPHQL_MAX_ALIASES: 'Aliases in one GraphQL document.',
      GRAPHQL_MAX_TOKENS: 'Tokens of one GraphQL document.',
      GRAPHQL_MAX_COST:
        'Objects that one GraphQL operation may ask for, by the sizes of its lists (see `docs/graphql.md`).',
      GRAPHQL_PERSISTED_OPERATIONS:
        'JSON file with GraphQL documents by id, which clients name as `documentId`, beside those of the dashboard.',
      GRAPHQL_SOCKETS_PER_ACCOUNT:
        'Open GraphQL WebSockets per account and gateway process. Further ones are closed with 4429.',
      GRAPHQL_OPERATIONS_PER_SOCKET:
        'Concurrent GraphQL operations per WebSocket. A client that starts more is closed with 4429.',
      OPS_HOST: 'Address on which `OPS_PORT` listens.',
      OPS_PORT: 'Port for `/healthz`, `/readyz` and `/metrics` of this program. Unset: closed.',
      METRICS_TOKEN:
        'Bearer token for `/metrics` on `HTTP_PORT`. Unset: `/metrics` is served there to clients on the same host only, and not at all with `TRUST_PROXY` or a public `PUBLIC_URL`. `OPS_PORT` needs no token.',
      OTEL_EXPORTER_OTLP_ENDPOINT:
        'Receiver of traces (OTLP over HTTP with JSON), such as http://localhost:4318. Unset: no traces are recorded (see `docs/tracing.md`).',
      OTEL_EXPORTER_OTLP_HEADERS:
        'Headers for the receiver of traces, such as `authorization=Bearer%20secret`, separated by commas.',
      OTEL_SERVICE_NAME: 'Name of the program in traces. Default: `postloft-` and the program.',
      OTEL_TRACES_SAMPLER_ARG: 'Part of all traces that is recorded, by their ids.',
      SIGNUP:
        'Whether anybody may open an account in the dashboard, on the plan `free`, after confirming an email address.',
      OIDC_ISSUER:
        'Issuer of an OpenID provider that people may sign in with, beside the password; its `.well-known/openid-configuration` is read. The redirect URI to register is `$PUBLIC_URL/app/api/oidc/callback`.',
      OIDC_CLIENT_ID: 'Client id at this provider.',
      OIDC_CLIENT_SECRET: 'Client secret at this provider.',
    },
  },
  {
    title: 'Incoming SMTP',
    settings: {
      SMTP_HOST: 'Address on which the relay and the inbound server listen.',
      SMTP_PORT: 'Port of the relay with STARTTLS; published as 587.',
      SMTPS_PORT: 'Port of the relay with TLS; published as 465.',
      PUBLIC_SMTP_HOST:
        'Host of the relay that the dashboard shows to users. By default `smtp.` before `SERVICE_DOMAIN`, or `localhost` with its default.',
      PUBLIC_SMTP_PORT: 'Port with STARTTLS that the dashboard shows to users. By default `SMTP_PORT`.',
      PUBLIC_SMTPS_PORT: 'Port with TLS that the dashboard shows to users. By default `SMTPS_PORT`.',
      INBOUND_SMTP_PORT: 'Port for bounces, complaints and reports; published as 25 (see `docs/inbound.md`).',
      SMTP_TLS_CERT:
        'PEM file with the certificate of the relay and the inbound server, reloaded when it changes. Unset: a self-signed certificate in `DATA_DIR`.',
      SMTP_TLS_KEY: 'PEM file with the key of `SMTP_TLS_CERT`.',
      SMTP_CONNECTIONS_PER_IP: 'Open connections per client address, for the relay and for the inbound server each.',
      SMTP_AUTH_FAILURES_PER_MINUTE: 'Failed logins per client address and minute before further logins are rejected.',
    },
  },
  {
    title: 'Engines',
    text: 'The standalone program contains embedded engines. `start:gateway`, `start:smtp`, `start:delivery`, `start:analytics`, `start:webhooks` and `start:relay` require `DATABASE_URL`, `CLICKHOUSE_URL` and `MASTER_KEY`; `start:relay` also requires `KAFKA_BROKERS`.',
    settings: {
      DATABASE_URL: 'PostgreSQL 14 or newer. Unset: an embedded server in `DATA_DIR`.',
      DATABASE_POOL_SIZE: 'Connections to PostgreSQL per program, apart from one that watches the server.',
      DATABASE_POOL_WAIT:
        'How long a request waits for a connection before it is answered 503 (SMTP: 451). A start waits as long as it takes.',
      DISK_LOW_WATER:
        'With the embedded database: while less is free on its disk, no mail is accepted (503, SMTP: 451), and what has been accepted is still delivered and recorded. `0` turns it off.',
      KAFKA_BROKERS: 'Brokers, each with its port. Unset: PostgreSQL carries the event log.',
      KAFKA_SASL_MECHANISM: 'SASL mechanism for Kafka.',
      KAFKA_SASL_USERNAME: 'User name for Kafka. Requires `KAFKA_SASL_PASSWORD`.',
      KAFKA_SASL_PASSWORD: 'Password for Kafka.',
      KAFKA_SSL: 'TLS to the brokers.',
      KAFKA_TOPIC_PREFIX: 'Prefix of the names of topics and consumer groups.',
      KAFKA_PARTITIONS: 'Partitions of a topic that the service creates. Existing topics are not changed.',
      KAFKA_RETENTION:
        'How long a topic that the service creates keeps its records, at least 1h. Existing topics are not changed.',
      KAFKA_COMPRESSION: 'Compression of records.',
      EVENT_LOG_SHARDS:
        'Shards into which the copying to Kafka is divided among the programs `relay` (see `docs/operations.md`). The same for all programs.',
      CLICKHOUSE_URL:
        'ClickHouse over HTTP, as `http://user:password@host:port/database`. Unset: chDB inside the process.',
      CLICKHOUSE_CLUSTER:
        'Name of a cluster of the ClickHouse server: tables are created on all its servers, with replicated engines. Requires `CLICKHOUSE_URL`.',
      STATS_RAW_DAYS:
        'Days for which statistics keep single events, at least as long as `RETENTION_EVENTS`. Roll-ups by hour and day are kept for ever.',
      STATS_MINUTE_DAYS: 'Days for which statistics keep roll-ups by minute.',
      CONTENT_STORE:
        'Where the content of emails is: `postgres` in the database, `files` in `CONTENT_DIR`, `s3` in a bucket (see `docs/content-store.md`).',
      CONTENT_DIR:
        'Directory of contents with `CONTENT_STORE=files`, the same one for all programs; with `s3`, of contents that are not uploaded yet. By default `contents` in `DATA_DIR`.',
      CONTENT_S3_ENDPOINT: 'S3 server, if not Amazon S3.',
      CONTENT_S3_REGION: 'Region of the bucket.',
      CONTENT_S3_BUCKET: 'Bucket of the contents. It must exist.',
      CONTENT_S3_PREFIX: 'Text before the names of all objects, such as `postloft/`.',
      CONTENT_S3_ACCESS_KEY_ID:
        'Access key. Unset: from the environment, the configuration or the role of the machine, as the AWS SDK finds it.',
      CONTENT_S3_SECRET_ACCESS_KEY: 'Secret of the access key.',
      MASTER_KEY:
        'Encrypts secrets at rest. Unset: created in `DATA_DIR`; required with `DATABASE_URL`. Keep a backup: without it, DKIM keys and webhook secrets cannot be read, API keys are not recognised, and signed links are invalid.',
      MASTER_KEY_PREVIOUS:
        'The master key that `MASTER_KEY` replaces, or has replaced (docs/master-key.md). Not needed any more when `master-key rotate` has ended.',
      MASTER_KEY_PREVIOUS_UNTIL:
        'Until when API keys work that nobody has used since the master key was replaced. Unset: without end.',
    },
  },
  {
    title: 'Backup',
    settings: {
      BACKUP_TO:
        'Where scheduled backups go: a folder, or `s3://bucket/prefix` (see `docs/backup.md`). Required with `BACKUP_EVERY`.',
      BACKUP_EVERY: 'Time between two scheduled backups, which one of the programs that deliver makes. Unset: none.',
      BACKUP_KEEP:
        'Scheduled backups that are kept; older ones, and the parts of the journal before them, are deleted.',
      BACKUP_JOURNAL:
        'Where the delivery journal is written, a folder or `s3://bucket/prefix`, on another machine or disk than the database. The same for all programs. Unset: no journal.',
      BACKUP_PASSPHRASE:
        'Passphrase of the master key in backups, for the commands `backup --with-master-key` and `restore`.',
      S3_ENDPOINT:
        'S3 server of `s3://` places, if not Amazon S3. Credentials are found as the AWS SDK finds them, for example in `AWS_ACCESS_KEY_ID` and `AWS_SECRET_ACCESS_KEY`.',
      S3_REGION: 'Region of these buckets.',
    },
  },
  {
    title: 'Delivery',
    settings: {
      DELIVERY_MODE:
        "`capture` captures messages and sends nothing, `mx` delivers to the recipients' servers, `smarthost` delivers to `SMARTHOST_URL`.",
      SMARTHOST_URL: 'The server that receives all messages, as `smtp://user:password@host:port` or `smtps://…`.',
      MX_PORT: 'Port of the MX hosts. Values other than 25 are useful in tests only.',
      ALLOW_PRIVATE_MX:
        'Permits MX hosts and MTA-STS hosts on loopback and private addresses, for tests and intranets. Otherwise messages to such hosts bounce (5.4.4), including waiting ones.',
      MTA_STS_PORT: 'Port of MTA-STS policy hosts. Values other than 443 are useful in tests only.',
      DANE: '`auto` uses TLSA records if the first of `DNS_SERVERS` is a validating resolver on this machine (see `docs/transport-security.md`), `off` never does.',
      NTP_SERVERS: 'Time servers, as host or host:port, with which `doctor` compares the clock.',
      DNS_SERVERS: 'Servers for all DNS queries, as ip or ip:port. Unset: the servers of the system.',
      DELIVERY_CONCURRENCY:
        'Messages of one process between `MAIL` and the commit of their outcome, which is the maximum that a crash can send twice. Up to four times as many messages, at most 2,000, may be in delivery.',
      CONNECTIONS_PER_HOST: 'Open connections from one process to one receiving host.',
      SHAPING_FILE:
        'JSON file with limits per mailbox provider, source addresses and warm-up plans, merged over the shipped file (see `docs/delivery.md`).',
      DELIVERY_RETRY_SCHEDULE: 'Delays between attempts after a temporary failure. The last one repeats.',
      DELIVERY_LIFETIME: 'Time after which delivery is given up, unless the message has `expires_in`.',
      SMTP_OUT_TIMEOUTS:
        'Timeouts of the phases of an outgoing SMTP session, at most 24d each. Phases that are not listed keep their default.',
      DKIM_SIGNING: 'DKIM signatures on outgoing messages. `off` is for measurements and for smarthosts that sign.',
    },
  },
  {
    title: 'Accounts and domains',
    text: 'Settings that begin with `BOOTSTRAP_` apply only to the first start on an empty database.',
    settings: {
      BOOTSTRAP_API_KEY: 'API key of the first account. Unset: a random key, printed once.',
      BOOTSTRAP_ADMIN_EMAIL:
        "Email address of the first account's owner, for the dashboard (`admin@$SERVICE_DOMAIN` if unset) and for notices. Read while there is no user.",
      BOOTSTRAP_ADMIN_PASSWORD:
        "Password of the first account's owner, of at least 12 characters. If unset, the owner signs in by the link that `npm start` prints. Read while there is no user.",
      BOOTSTRAP_PLAN:
        'Plan of the first account: `free` (3,000 units per month), `unlimited`, or units per month. Later accounts start as `free`.',
      BOOTSTRAP_DOMAINS:
        'Domains from which the first account may send immediately; the operator vouches for them. The default follows `SERVICE_DOMAIN`.',
      RATE_LIMIT_PER_SECOND: 'Requests per second and account. `0` disables the limit.',
      ATTACHMENT_TYPES:
        'Types of attachments beside the ten of the API, for REST and SMTP: MIME types, each including its common other names, or `all` for everything that is not executable. Calendar invitations need `text/calendar`, forwarded messages `message/rfc822`.',
      PLAN_WEIGHTS:
        'Weights of plans in the turns that accounts take at a destination, such as `free=1,unlimited=4`. Plans that are not listed have the weight 1 (see `docs/delivery.md`).',
      ALLOWANCE_UNIT: 'Unit of the monthly allowance: accepted recipients or messages.',
      ABUSE_BRAKES:
        'Pauses accounts with too many bounces or complaints (see `docs/operations.md`). `off`: nothing is counted, and nobody is paused.',
      ABUSE_WINDOW: 'Period that `ABUSE_BRAKES` looks back on, in steps of a 24th of it. At least `1m`.',
      ABUSE_MINIMUM_RECIPIENTS:
        'Recipients whose delivery must have ended in the window before an account can be paused.',
      PENALTY_POOL:
        'Source addresses for accounts that exceed a limit of `PENALTY_*`: the name of a pool in `SHAPING_FILE`, or a comma-separated list of addresses, each with the name in its PTR record, such as `192.0.2.9=smtp9.example.org` (see `docs/delivery.md`). Unset: no account is moved.',
      PENALTY_MINIMUM_RECIPIENTS:
        'Recipients whose delivery must have ended in `ABUSE_WINDOW` before an account can be moved to the penalty pool.',
      PENALTY_BOUNCE_PERCENT:
        'An account is moved to the penalty pool when more than this percentage of the recipients bounced permanently.',
      PENALTY_COMPLAINT_PERCENT:
        'An account is moved to the penalty pool when more than this percentage of the recipients complained.',
      PENALTY_BLOCK_PERCENT:
        'An account is moved to the penalty pool when servers refused or deferred more than this percentage of its recipients as unwanted, and twice as often as those of all others.',
      PENALTY_CLEAN_DAYS: 'Days (UTC) with emails and within all limits after which an account is moved back.',
      ABUSE_BOUNCE_PERCENT:
        'An account is paused when more than this percentage of the recipients bounced permanently.',
      ABUSE_COMPLAINT_PERCENT: 'An account is paused when more than this percentage of the recipients complained.',
      DOMAIN_CHECK_INTERVAL:
        'Interval between DNS checks of a domain in the first hour. All later intervals scale with it.',
      DKIM_ROTATION_DAYS:
        'Age at which DKIM keys are rotated automatically, for domains whose DKIM names are aliases to `dkim.` (see `docs/domains.md`). `0`: never.',
    },
  },
  {
    title: 'Retention',
    text: 'Periods end with the day (UTC) in which they are over, because the data of a day is deleted as a whole. See `docs/retention.md`.',
    settings: {
      RETENTION_EVENTS:
        'How long the event log keeps events. `GET /events`, the events of a message and replays cannot go further back.',
      RETENTION_MESSAGES: 'How long a message is kept with its recipients and tags, but without its content.',
      RETENTION_ATTEMPTS: 'How long delivery attempts are kept. At most `RETENTION_MESSAGES`.',
      RETENTION_BODIES: 'How long the content of a message is kept. At most `RETENTION_MESSAGES`.',
      RETENTION_CAPTURED: 'How long captured messages are kept; of each account, the newest 10,000.',
      RETENTION_REQUEST_LOG: 'How long the request log keeps requests.',
      RETENTION_WEBHOOK_DELIVERIES: 'How long webhook deliveries and their attempts are kept.',
    },
  },
  {
    title: 'Webhooks',
    settings: {
      WEBHOOK_RETRY_SCHEDULE: 'Delays between attempts without a 2xx response. After the last one the delivery fails.',
      WEBHOOK_TIMEOUT: 'Timeout of one attempt, from the DNS lookup to the status line.',
      ALLOW_PRIVATE_WEBHOOKS:
        'Permits http and private addresses as targets of webhooks and for `path` of attachments, for development and tests.',
    },
  },
  {
    title: 'Logging',
    settings: {
      LOG_LEVEL: 'Lowest level that is written.',
      LOG_FORMAT: '`pretty` for people, `json` for programs, one event per line.',
    },
  },
];
