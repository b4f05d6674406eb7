export { acquireDataDir, type DataDirLock } from './data-dir-lock.js';
export { restrictDataDir } from './data-dir-modes.js';
export { EmbeddedPostgres, type EmbeddedPostgresOptions } from './embedded-postgres.js';
export { totalMemory } from './server-settings.js';
