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

/** Times at most 72 hours ahead: an example would soon be in the past and refused. */
const WITHOUT_EXAMPLE = new Set(['SendEmailDto.scheduled_at', 'ChangeEmailDto.scheduled_at']);

/** Adds descriptions and examples of common fields to the schema of one class, where it has none of its own. */
export function describeCommonFields(className: string, { properties = {} }: SchemaObject): void {
  for (const [name, field] of Object.entries(properties)) {
    if (name in COMMON_DESCRIPTIONS) field.description ??= COMMON_DESCRIPTIONS[name];
    if (field.format === 'date-time' && !('default' in field) && !WITHOUT_EXAMPLE.has(`${className}.${name}`))
      field.example ??= EXAMPLE_TIME;
  }
}
