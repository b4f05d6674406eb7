export {
  account,
  AccountEntity,
  sendingPause,
  STANDINGS,
  type AccountChange,
  type AccountStatus,
  type Standing,
} from './account.resource.js';
export { planRule } from './account-rules.js';
export { usage } from './usage.resource.js';
export { Accounts, OPERATOR, type ChangedBy } from './accounts.js';
export { AccountsModule } from './accounts.module.js';
export { Allowances, type AllowanceClaim, type AllowanceUsage } from './allowances/allowances.js';
export { apiKey, ApiKeyEntity, type ApiKeyChange, type ApiKeyOptions, type ApiKeyView } from './api-key.resource.js';
export type { TokenFingerprint } from './api-keys/authentication.js';
export { ApiKeys } from './api-keys/api-keys.js';
export { AbuseBrakes } from './brakes/abuse-brakes.js';
export { auditEntry } from './audit-entry.resource.js';
export { AuditHistory, AuditLog } from './audit-log.js';
export { AccountDirectory, type AccountOverview } from './account-directory.js';
export { isNarrowed } from './api-keys/assert-no-escalation.js';
export {
  assertAbility,
  assertAddress,
  assertScope,
  assertStanding,
  assertWholeAccount,
  type Principal,
  type PrincipalSession,
} from './api-keys/principal.js';
export { eraseAuditLog } from './erase-audit-log.js';
export { RateLimit } from './rate-limit/rate-limit.js';
export { RequestLog, type LoggedRequest } from './request-log/request-log.js';
export { loggedRequest } from './logged-request.resource.js';
