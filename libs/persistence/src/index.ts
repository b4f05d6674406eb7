export { Database, isDuplicate, isRetryable, isUnavailable, type Queryable, type QueryResult } from './database.js';
export { DueWorkLoop, type DueWork } from './due-work-loop.js';
export { acquireDataDir, EmbeddedPostgres } from './embedded-postgres/index.js';
export { GroupCommit } from './group-commit.js';
export { migrate } from './migrate.js';
export { appendEvents, OUTBOX_COLUMNS, OUTBOX_FROM_JSON, outboxJson, routedEvent } from './outbox.js';
export { startProgram, type ProgramOptions } from './program.js';
export { dataSourceOptions, PersistenceModule } from './persistence.module.js';
export { countLivingWorkers, freeDeadClaims, Worker } from './worker.js';
