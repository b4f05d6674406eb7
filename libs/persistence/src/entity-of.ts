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

function typeOf({ schema, shape }: Field): { type: ColumnType; array?: boolean } {
  if (shape !== null) return { type: 'jsonb' };
  switch (schema.type) {
    case 'boolean':
      return { type: 'boolean' };
    case 'integer':
      return { type: 'integer' };
    case 'object':
      return { type: 'jsonb' };
    case 'array':
      return { type: 'text', array: true };
    case undefined:
      return { type: schema.format as ColumnType };
    default:
      return { type: schema.format === 'date-time' ? 'timestamptz' : 'text' };
  }
}
