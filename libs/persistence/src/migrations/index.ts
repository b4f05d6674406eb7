import { FirstWalk0001 } from './0001-first-walk.js';
import { Accounts0002 } from './0002-accounts.js';
import { Domains0003 } from './0003-domains.js';
import { Suppressions0004 } from './0004-suppressions.js';
import { Emails0005 } from './0005-emails.js';
import { Webhooks0006 } from './0006-webhooks.js';
import { RequestLog0007 } from './0007-request-log.js';
import { Attempts0008 } from './0008-attempts.js';
import { StsPolicies0009 } from './0009-sts-policies.js';
import { Shaping0010 } from './0010-shaping.js';
import { DomainKeys0011 } from './0011-domain-keys.js';
import { Unsubscribe0012 } from './0012-unsubscribe.js';
import { TlsReports0013 } from './0013-tls-reports.js';
import { FairClaims0014 } from './0014-fair-claims.js';
import { FullMailboxes0015 } from './0015-full-mailboxes.js';
import { InboundMails0016 } from './0016-inbound-mails.js';
import { OutboxPortions0020 } from './0020-outbox-portions.js';
import { DirectMails0021 } from './0021-direct-mails.js';
import { EarlierHosts0022 } from './0022-earlier-hosts.js';
import { SuppressionDomains0023 } from './0023-suppression-domains.js';
import { NoStatistics0024 } from './0024-no-statistics.js';

/** In order. One that was released is never changed: what comes later is a migration of its own. */
export const MIGRATIONS = [
  FirstWalk0001,
  Accounts0002,
  Domains0003,
  Suppressions0004,
  Emails0005,
  Webhooks0006,
  RequestLog0007,
  Attempts0008,
  StsPolicies0009,
  Shaping0010,
  DomainKeys0011,
  Unsubscribe0012,
  TlsReports0013,
  FairClaims0014,
  FullMailboxes0015,
  InboundMails0016,
  OutboxPortions0020,
  DirectMails0021,
  EarlierHosts0022,
  SuppressionDomains0023,
  NoStatistics0024,
];
