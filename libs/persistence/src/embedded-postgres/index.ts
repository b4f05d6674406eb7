export { acquireDataDir, type DataDirLock } from './data-dir-lock.js';
export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';
