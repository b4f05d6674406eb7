import type { Field, Fields, FieldSchema, FieldValues, NamedField, Shape } from './field.js';
import { writtenFields } from './field.js';
import type { Rule } from './rule.js';

/** The name of the column of a field; `never` for a computed one. */
type ColumnName<K, C> = C extends true ? K : C extends string ? C : never;
type SettableName<K, W> = W extends 'update' | 'both' ? K : never;
type ComputedName<K, C> = C extends false ? K : never;

/** A row: the columns of the stored fields, and those that responses do not have. */
export type Row<F extends Fields, I extends Fields> = {
  -readonly [K in keyof F as ColumnName<K, F[K]['column']>]: F[K]['value'];
} & { -readonly [K in keyof I]: I[K]['value'] };

/** The fields without a column, which a view gets beside the row. */
export type Computed<F extends Fields> = { [K in keyof F as ComputedName<K, F[K]['column']>]: F[K]['view'] };

/** The same by the definition: `RowOf<typeof domain>`. */
export type RowOf<R extends Resource> = Row<R['fields'], R['internal']>;
export type ViewOf<S extends Shape> = FieldValues<S['fields']>;
/** New values of settings; undefined: not changed. */
export type ChangesOf<R extends Resource> = {
  -readonly [K in keyof R['fields'] as SettableName<K, R['fields'][K]['written']>]?: R['fields'][K]['view'] | undefined;
};

interface ResourceOptions<F extends Fields, I extends Fields> extends Shape<F> {
  /** None for what is only a request. */
  readonly table?: string;
  /** Columns that no response has. */
  readonly internal?: I;
}

/**
 * A resource, written once: from it come the row and its columns, the update of settings, the view, the validation, and the
 * schemas of OpenAPI and GraphQL.
 */
export class Resource<F extends Fields = Fields, I extends Fields = Fields> implements Shape<F> {
  readonly name: string;
  readonly about: string;
  readonly fields: F;
  readonly not?: object;
  readonly lastInRequests?: readonly string[];
  readonly table?: string;
  readonly internal: I;
  /** The columns of a row, for `SELECT` and `RETURNING`. */
  readonly columns: string;
  private readonly stored: readonly (readonly [name: string, column: string])[];

  constructor(of: ResourceOptions<F, I>) {
    Object.assign(this, { internal: {}, ...of });
    this.stored = Object.entries(this.fields).flatMap(([name, field]) => {
      const column = columnOf([name, field]);
      return column === null ? [] : [[name, column] as const];
    });
    const columns = [...this.stored.map(([, column]) => column), ...Object.keys(this.internal)];
    requireComplete(this, columns);
    this.columns = columns.join(', ');
  }

  /** The response for a row, in the order of the definition. */
  toView(row: Row<F, I>, computed: Computed<F>): FieldValues<F> {
    const values = { ...computed } as Record<string, unknown>;
    for (const [name, column] of this.stored) values[name] = presented((row as Record<string, unknown>)[column]);
    return Object.fromEntries(Object.keys(this.fields).map((name) => [name, values[name]])) as FieldValues<F>;
  }

  /** The columns of the settings that `changes` has, with their parameters from `$first` on, and the values of these. */
  settingsSql(changes: Readonly<Partial<Record<keyof F, unknown>>>, first: number): SettingsSql {
    const given = Object.entries(changes).filter(([, value]) => value !== undefined);
    return {
      columns: given.map(([name], i) => [this.settableColumn(name), `$${first + i}`]),
      values: given.map(([, value]) => value),
    };
  }

  /** The rule for values of a field in requests. */
  ruleOf(name: keyof F & string): Rule {
    const { input } = this.fields[name];
    if (!input?.rule) throw new Error(`${this.name}.${name} has no rule for requests`);
    return input.rule;
  }

  private settableColumn(name: string): string {
    const setting = writtenFields(this, 'update').find(([field]) => field === name);
    const column = setting ? columnOf(setting) : null;
    if (column === null) throw new Error(`${this.name}.${name} is no setting`);
    return column;
  }
}

export interface SettingsSql {
  columns: [column: string, parameter: string][];
  values: unknown[];
}

/** @throws Error that names the field, at the start of every program, for a definition that is incomplete or contradicts itself */
export const resource = <F extends Fields, I extends Fields = { readonly [none: string]: never }>(
  of: ResourceOptions<F, I>,
): Resource<F, I> => new Resource(of);

const columnOf = ([name, { column }]: NamedField): string | null =>
  column === false ? null : column === true ? name : column;

const presented = (value: unknown): unknown => (value instanceof Date ? value.toISOString() : value);

function requireComplete({ name, fields }: Shape, columns: readonly string[]): void {
  const twice = columns.find((column, i) => columns.indexOf(column) !== i);
  if (twice !== undefined) throw new Error(`${name}: two fields have the column ${twice}`);
  for (const [field, definition] of Object.entries(fields)) {
    const problem = problemOf(definition);
    if (problem !== null) throw new Error(`${name}.${field}: ${problem}`);
  }
}

function problemOf({ schema, input, written, column }: Field): string | null {
  if ((written === 'update' || written === 'both') && column === false) return 'a setting needs a column';
  const requested = { ...schema, ...input?.schema };
  return exampleProblem(schema) ?? exampleProblem(requested) ?? refusedExample(requested, input?.rule);
}

/** Examples are shown to users, so each must be a value that its own schema and rule accept. */
function exampleProblem({ example, enum: words, nullable }: FieldSchema): string | null {
  if (example === null && nullable !== true) return 'the example is null, but the field is not nullable';
  return (example ?? null) !== null && words && !words.includes(example) ? 'the example is none of the words' : null;
}

function refusedExample({ example }: FieldSchema, rule: Rule | null | undefined): string | null {
  if (!rule || example === undefined || example === null) return null;
  const [problem] = rule(example);
  return problem === undefined ? null : `the rule refuses the example: it ${problem.message}`;
}
