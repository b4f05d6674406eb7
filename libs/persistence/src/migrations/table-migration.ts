import type { MigrationInterface, QueryRunner } from 'typeorm';

/** A migration that is a list of statements, and a list that takes them back. */
export abstract class TableMigration implements MigrationInterface {
  /** Ends in a number by which TypeORM orders migrations. */
  abstract readonly name: string;
  protected abstract readonly forward: readonly string[];
  protected abstract readonly back: readonly string[];

  async up(db: QueryRunner): Promise<void> {
    for (const statement of this.forward) await db.query(statement);
  }

  async down(db: QueryRunner): Promise<void> {
    for (const statement of this.back) await db.query(statement);
  }
}
