import { newId, Refusal } from '#libs/contracts';
import { Config, Log } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { Injectable } from '@nestjs/common';
import type { CheckResult } from './check.js';
import { CHECKS } from './checks/index.js';
import { runChecks } from './run-checks.js';

export type RunState = 'running' | 'finished' | 'interrupted';

/** A run of all checks in a program, for the operator's pages. */
export interface DoctorRun {
  id: string;
  state: RunState;
  /** The domain of a customer that the run examined as well. */
  domain: string | null;
  startedAt: Date;
  finishedAt: Date | null;
  /** In the order of the report. */
  checks: { name: string; title: string; ended: boolean; results: CheckResult[] }[];
}

interface Row extends Pick<DoctorRun, 'id' | 'domain' | 'startedAt' | 'finishedAt'> {
  checks: string[];
  ended: string[];
  results: CheckResult[];
  isOld: boolean;
}

/** A run that has not ended by then was interrupted: the limit of `runChecks` is far below. */
const LONGEST_S = 60;
const KEPT_RUNS = 20;
const COLUMNS = `id, domain, checks, ended, results, started_at AS "startedAt", finished_at AS "finishedAt",
  started_at < now() - interval '${LONGEST_S} s' AS "isOld"`;

/** Runs the doctor in the background. The results are in the database, so that every program shows them. */
@Injectable()
export class DoctorRuns {
  constructor(
    private readonly database: Database,
    private readonly config: Config,
    private readonly log: Log,
  ) {}

  /** The newest run; null before the first. */
  async latest(): Promise<DoctorRun | null> {
    const { rows } = await this.database.query<Row>(`SELECT ${COLUMNS} FROM doctor_runs ORDER BY id DESC LIMIT 1`);
    return rows.length === 0 ? null : toRun(rows[0]);
  }

  /**
   * Starts a run. The domain has been checked by the field rule.
   * @param by the id of the user
   * @throws Refusal conflict while another run is in progress
   */
  async start(by: string, domain: string | null): Promise<DoctorRun> {
    const { rows } = await this.database.query<Row>(
      `INSERT INTO doctor_runs (id, requested_by, domain, checks)
       SELECT $1, $2, $3, $4
        WHERE NOT EXISTS (SELECT FROM doctor_runs
                           WHERE finished_at IS NULL AND started_at > now() - interval '${LONGEST_S} s')
       RETURNING ${COLUMNS}`,
      [newId('doc'), by, domain, CHECKS.map(({ name }) => name)],
    );
    if (rows.length === 0) {
      const details = [{ field: '', code: 'doctor_running', message: 'must wait until the run in progress has ended' }];
      throw new Refusal('conflict', details, 'The doctor is running already.');
    }
    const [{ id }] = rows;
    void this.run(id, domain).catch((error: unknown) => this.log.error('the doctor failed', error));
    return toRun(rows[0]);
  }

  private async run(id: string, domain: string | null): Promise<void> {
    const { config, database } = this;
    let storing = Promise.resolve();
    const onResults = (check: string, results: CheckResult[]) => {
      storing = storing.then(() => this.store(id, check, results));
    };
    const run = await runChecks({ config, checks: CHECKS, domain, database, onResults });
    await storing;
    await run.close();
    await database.query('UPDATE doctor_runs SET finished_at = now() WHERE id = $1', [id]);
    await database.query(
      'DELETE FROM doctor_runs WHERE id < (SELECT min(id) FROM (SELECT id FROM doctor_runs ORDER BY id DESC LIMIT $1) AS kept)',
      [KEPT_RUNS],
    );
  }

  private async store(id: string, check: string, results: CheckResult[]): Promise<void> {
    await this.database
      .query('UPDATE doctor_runs SET ended = ended || $2::text, results = results || $3::jsonb WHERE id = $1', [
        id,
        check,
        // JSON of PostgreSQL cannot hold NUL, and servers may answer anything.
        JSON.stringify(results).replaceAll(String.raw`\u0000`, ''),
      ])
      .catch((error: Error) => this.log.warn('results of the doctor cannot be stored', { reason: error.message }));
  }
}

function toRun({ id, domain, startedAt, finishedAt, isOld, ...row }: Row): DoctorRun {
  const unfinished = isOld ? 'interrupted' : 'running';
  return {
    ...{ id, domain, startedAt, finishedAt },
    state: finishedAt === null ? unfinished : 'finished',
    checks: row.checks.map((name) => ({
      name,
      title: CHECKS.find((check) => check.name === name)?.title ?? name,
      ended: row.ended.includes(name),
      results: row.results.filter(({ check }) => check === name),
    })),
  };
}
