/** Ids of sending domains: of half of the messages, of the rest, of the oldest thousand, and of none. */
export const DOMAINS: Record<'half' | 'rest' | 'oldest' | 'none', string>;
/** Inserts messages of the last 60 days. */
export function insertMessages(url: string, accountId: string, count: number): Promise<void>;
/** Brings the tables into the state in which autovacuum leaves them. */
export function vacuumTables(url: string): Promise<void>;
