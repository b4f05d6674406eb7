import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { RetentionRegistry } from '#libs/persistence';
import { AccountDirectory } from './account-directory.js';
import { AccountEntity } from './account.resource.js';
import { Allowances } from './allowances/allowances.js';
import { Accounts } from './accounts.js';
import { ApiKeyEntity } from './api-key.resource.js';
import { ApiKeys } from './api-keys/api-keys.js';
import { AbuseBrakes } from './brakes/abuse-brakes.js';
import { PenaltyPool } from './brakes/penalty-pool.js';
import { AuditHistory, AuditLog } from './audit-log.js';
import { RateLimit } from './rate-limit/rate-limit.js';
import { RequestLog } from './request-log/request-log.js';

@Module({
  imports: [TypeOrmModule.forFeature([AccountEntity, ApiKeyEntity])],
  providers: [
    AbuseBrakes,
    AccountDirectory,
    Accounts,
    Allowances,
    ApiKeys,
    AuditHistory,
    AuditLog,
    PenaltyPool,
    RateLimit,
    RequestLog,
  ],
  exports: [
    AbuseBrakes,
    AccountDirectory,
    Accounts,
    Allowances,
    ApiKeys,
    AuditHistory,
    AuditLog,
    RateLimit,
    RequestLog,
  ],
})
export class AccountsModule {
  constructor(retention: RetentionRegistry, requestLog: RequestLog) {
    retention.register('request log', async (now) => ({ 'request log': await requestLog.prune(now) }), {
      overdueSince: (now) => requestLog.overdueSince(now),
    });
  }
}
