/**
 * SQL: a recipient whom a queue holds back. Its index is that without the first part; who is over (canceled, for instance)
 * waits for nothing.
 */
export const HELD = 'due_at IS NOT NULL AND wait IS NOT NULL AND claimed_by IS NULL';
