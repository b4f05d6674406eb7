/** Ids of sending domains: of half of the mails, of the rest, of the oldest thousand, and of none. */
export const DOMAINS: Record<'half' | 'rest' | 'oldest' | 'none', string>;
/** Writes mails of the last 60 days. */
export function fillMails(url: string, accountId: string, count: number): Promise<void>;
/** As autovacuum leaves tables whose mails have come to rest. */
export function settleTables(url: string): Promise<void>;
