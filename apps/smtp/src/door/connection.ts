import type { SMTPServer } from 'smtp-server';

/** One connection of the server library, as its server keeps it. */
export type Connection = SMTPServer['connections'] extends Set<infer C> ? C : never;
