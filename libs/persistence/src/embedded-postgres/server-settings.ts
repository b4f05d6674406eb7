import os from 'node:os';

const MIB = 1024 * 1024;
const MEMORY_DIVISOR = 32;
const [MIN_MIB, MAX_MIB] = [128, 512];

/** Enough for the default pools of the service and of two commands. */
export const MAX_CONNECTIONS = 60;

/** Settings of the embedded server. An accepted message is durable, so no setting trades durability for speed. */
const SETTINGS: Record<string, string> = {
  fsync: 'on',
  synchronous_commit: 'on',
  full_page_writes: 'on',
  max_connections: String(MAX_CONNECTIONS),
  // Fewer checkpoints: after each one, full page images are written to the WAL again. Recovery of 2 GB takes seconds.
  max_wal_size: '2GB',
  min_wal_size: '160MB',
  checkpoint_timeout: '15min',
  // All statements are short: compiling one costs more than it saves.
  jit: 'off',
  random_page_cost: '1.1',
  // Queue tables have many inserts and deletes, so dead rows must be removed often.
  autovacuum_naptime: '15s',
  autovacuum_vacuum_cost_limit: '1000',
  timezone: 'UTC',
  log_timezone: 'UTC',
  // Statement errors are reported to the client, which decides what to log: their text may contain addresses.
  log_min_messages: 'log',
  log_min_error_statement: 'panic',
  log_checkpoints: 'off',
  log_destination: 'stderr',
  logging_collector: 'off',
  log_line_prefix: '',
  lc_messages: 'C',
};

/**
 * A small share of the memory, which the service, its statistics and the page cache need as well. With too few buffers,
 * backends write out dirty pages themselves, in the middle of an accept.
 */
export const sharedBuffers = (memoryBytes: number): string =>
  `${Math.min(Math.max(Math.floor(memoryBytes / MEMORY_DIVISOR / MIB), MIN_MIB), MAX_MIB)}MB`;

/** Arguments of the server; a setting on the command line overrides every configuration file of the cluster. */
export function serverArguments(more: Record<string, string>): string[] {
  const settings = { ...SETTINGS, shared_buffers: sharedBuffers(totalMemory()), ...more };
  return Object.entries(settings).flatMap(([name, value]) => ['-c', `${name}=${value}`]);
}

/** Bytes of memory available to this process and its children: of the machine, or of a container with a limit. */
export function totalMemory(): number {
  const limit = process.constrainedMemory();
  return limit > 0 ? Math.min(limit, os.totalmem()) : os.totalmem();
}
