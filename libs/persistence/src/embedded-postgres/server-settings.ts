import { totalMemory } from './total-memory.js';

const MIB = 1024 * 1024;
const SHARE_OF_MEMORY = 32;
const [LEAST_MIB, MOST_MIB] = [128, 512];

/**
 * Settings of the embedded server. An accepted mail is on disk, so nothing here trades durability for speed; the rest
 * fits a service that shares its machine with the database.
 */
const SETTINGS: Record<string, string> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: '60',
  // Fewer checkpoints: each makes full copies of pages go into the log again. Recovery of 2 GB takes seconds.
  max_wal_size: '2GB',
  min_wal_size: '160MB',
  checkpoint_timeout: '15min',
  // Every statement here is short; compiling one costs more than it saves.
  jit: 'off',
  random_page_cost: '1.1',
  // Queues are inserted into and deleted from all the time; dead rows must not pile up between cleanings.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_cost_limit: '1000',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Errors of statements go to the client, which knows what to log; their text may hold addresses.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  lc_messages: 'C',
};

/**
 * For pages of tables and indexes. What does not fit is written out by those who need room, in the middle of an accept.
 * A small share of the memory, as the service, its statistics and the kernel's own cache live there too.
 */
export const sharedBuffers = (memoryBytes: number): string =>
  `${Math.min(Math.max(Math.floor(memoryBytes / SHARE_OF_MEMORY / MIB), LEAST_MIB), MOST_MIB)}MB`;

/** The server's arguments; a setting on the command line outranks every file of the cluster. */
export function serverArguments(more: Record<string, string>): string[] {
  const settings = { ...SETTINGS, shared_buffers: sharedBuffers(totalMemory()), ...more };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}
