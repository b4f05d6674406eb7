export interface SchemaObject {
  properties?: Record<string, FieldObject>;
}
interface FieldObject {
  description?: string;
  format?: string;
  example?: unknown;
  default?: unknown;
}

/** Fields that mean the same in every answer. */
const MEANINGS: Record<string, string> = {
  object: 'The kind of this thing, for programs that meet several',
  id: 'The id of this thing',
  deleted: 'It is gone',
  created_at: 'When it was made',
};
const MOMENT = '2026-01-31T09:30:00.000Z';

/** Says of the fields of one class what is the same everywhere, where the class says nothing of its own. */
export function completeFields({ properties = {} }: SchemaObject): void {
  for (const [name, field] of Object.entries(properties)) {
    if (name in MEANINGS) field.description ??= MEANINGS[name];
    if (field.format === 'date-time' && !('default' in field)) field.example ??= MOMENT;
  }
}
