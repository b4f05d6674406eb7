import type { Field, Resource } from '#libs/contracts';
import { EntitySchema, type ColumnType, type EntitySchemaColumnOptions } from 'typeorm';

/** The entity of a resource for TypeORM. Its properties have the names of the columns. */
export function entityOf({ name, table, fields, internal }: Resource): EntitySchema {
  const columns: Record<string, EntitySchemaColumnOptions> = {};
  for (const [field, definition] of Object.entries<Field>({ ...fields, ...internal })) {
    if (definition.column === false) continue;
    const column = definition.column === true ? field : definition.column;
    columns[column] = {
      ...typeOf(definition),
      primary: column === 'id',
      nullable: definition.schema.nullable === true,
      // Set by the database, and read back.
      createDate: column === 'created_at',
    };
  }
  return new EntitySchema({ name, tableName: table, columns });
}

const TYPES = {
  boolean: 'boolean',
  integer: 'integer',
  object: 'jsonb',
  array: 'text',
  string: 'text',
  number: 'text',
};

function typeOf({ schema: { type, format }, shape }: Field): { type: ColumnType; array?: boolean } {
  if (shape !== null) return { type: 'jsonb' };
  // A column that no response has names its own type.
  if (type === undefined) return { type: format as ColumnType };
  if (format === 'date-time') return { type: 'timestamptz' };
  return { type: TYPES[type] as ColumnType, array: type === 'array' };
}
