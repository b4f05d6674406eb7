import { EXAMPLE_TIME } from './properties.js';

export interface SchemaObject {
  properties?: Record<string, FieldObject>;
}
interface FieldObject {
  description?: string;
  format?: string;
  example?: unknown;
  default?: unknown;
}

/** Descriptions of fields that have the same meaning in every response. */
export const COMMON_DESCRIPTIONS: Record<string, string> = {
  object: 'The kind of the resource',
  id: 'The id of the resource',
  deleted: 'Always true',
  created_at: 'When it was created',
};

/** Adds descriptions and examples of common fields to the schema of one class, where it has none of its own. */
export function describeCommonFields({ properties = {} }: SchemaObject): void {
  for (const [name, field] of Object.entries(properties)) {
    if (name in COMMON_DESCRIPTIONS) field.description ??= COMMON_DESCRIPTIONS[name];
    if (field.format === 'date-time' && !('default' in field)) field.example ??= EXAMPLE_TIME;
  }
}
