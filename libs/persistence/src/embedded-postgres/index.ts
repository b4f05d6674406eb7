export { acquireDataDir, type DataDirLock } from './data-dir-lock.js';
export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';
export { totalMemory } from './total-memory.js';
