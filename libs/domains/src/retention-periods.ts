import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';

const DAY_MS = 86_400_000;

/** A domain with periods of its own, in milliseconds; null: the period of the service. */
export interface DomainPeriods {
  id: string;
  accountId: string;
  bodies: number | null;
  captured: number | null;
}

/** Domains whose owners want content or captured messages to be deleted earlier than the service does. */
@Injectable()
export class DomainRetentionPeriods {
  constructor(private readonly database: Database) {}

  async list(): Promise<DomainPeriods[]> {
    const { rows } = await this.database.query<{ id: string; accountId: string; bodies: number; captured: number }>(`
      SELECT id, account_id AS "accountId", body_retention_days AS bodies, captured_retention_days AS captured
        FROM domains WHERE body_retention_days IS NOT NULL OR captured_retention_days IS NOT NULL ORDER BY id`);
    const inMs = (days: number | null) => days && days * DAY_MS;
    return rows.map(({ bodies, captured, ...row }) => ({ ...row, bodies: inMs(bodies), captured: inMs(captured) }));
  }
}
