export { ClockRecord, type ClockSuspicion } from './clock-record.js';
export { ClaimSweep, type StoredClaim } from './claim-sweep.js';
export {
  Database,
  isDuplicate,
  isRetryable,
  isTooComplex,
  isUnavailable,
  transactionOf,
  type Queryable,
} from './connection/database.js';
export { untilAvailable } from './connection/first-connection.js';
export { databaseInfo, type DatabaseInfo } from './database-info.js';
export { SizeSamples } from './size-samples.js';
export { Lease } from './lease.js';
export { PARTITIONED_TABLES, startOfDay, type PartitionedTableName } from './partitions/partitioned-tables.js';
export { daysAhead, registerPartitionMetrics } from './partitions/partition-metrics.js';
export { Partitions, type Expired, type PartitionState } from './partitions/partitions.js';
export { RetentionGuard } from './retention/retention-guard.js';
export { RetentionRegistry, type Deletions } from './retention/retention-registry.js';
export { JobRunner } from './job-runner.js';
export { hostResources } from './host-resources.js';
export { GroupCommit } from './group-commit.js';
export { migrate } from './migrate.js';
export { NoticeOutbox, requestNotice, type PendingNotice } from './notices.js';
export { appendEvents, outboxRow, routedEvent } from './outbox.js';
export { startProgram } from './program/start-program.js';
export { Worker } from './worker.js';
export {
  establishMasterKey,
  masterKeyProblem,
  recordFirstAccount,
  recordFirstUser,
  recordMasterKey,
} from './program/master-key-check.js';
export { entityOf } from './entity-of.js';
export { readMasterKey } from './program/master-key.js';
export { openDatabase, type OpenDatabase } from './program/open-database.js';
export { startEngines } from './program/start-engines.js';
