import type { Rule } from './rule.js';

type Text = 'format' | 'pattern' | 'contentEncoding' | 'description';
type Limit = 'minimum' | 'maximum' | 'minLength' | 'maxLength' | 'minItems' | 'maxItems' | 'maxProperties';

/** The keywords of JSON Schema by which the API describes a value. Required is every field that is not null. */
export interface FieldSchema extends Partial<Record<Text, string | undefined> & Record<Limit, number>> {
  type?: 'string' | 'boolean' | 'integer' | 'number' | 'object' | 'array';
  enum?: readonly unknown[];
  items?: FieldSchema;
  propertyNames?: FieldSchema;
  /** The forms of a value that has several; beside the shape of an object, its other forms. */
  oneOf?: readonly FieldSchema[];
  not?: object;
  additionalProperties?: boolean | FieldSchema;
  properties?: Readonly<Record<string, object>>;
  required?: readonly string[];
  nullable?: boolean;
  /** With a default the field is optional. */
  default?: unknown;
  example?: unknown;
}

/** `schema` overrides that of responses. */
export interface Input {
  /** Refuses other values; null: the library checks the field together with others, as the rule depends on settings. */
  rule: Rule | null;
  /** By the request that creates the resource. */
  required: boolean;
  /** Required without this other field. */
  requiredUnless?: string;
  schema: FieldSchema;
}

/** How requests give a field; left out, it is optional and has the schema of responses. */
type InputOptions = Partial<Omit<Input, 'rule'>>;

/** The column: of the name of the field (true), of another name, or none, for a value that the view computes. */
export type ColumnOf = string | boolean;
/** The requests that may contain the field. */
export type WrittenBy = 'nothing' | 'create' | 'update' | 'both';

/** Fields by their names in JSON. */
export type Fields = Readonly<Record<string, Field>>;
export type NamedField = [name: string, field: Field];

/** A part of a response that is no resource of its own, such as a DNS record of a domain. */
export interface Shape<F extends Fields = Fields> {
  /** The name of the schema in OpenAPI, without the `Dto` behind it, and of the type in GraphQL unless that has its own. */
  readonly name: string;
  readonly about: string;
  readonly fields: F;
  /** Combinations of fields that requests are refused for, as the keyword `not` of their schema. */
  readonly not?: object;
  /** The fields behind all others of a request, where the order there is not that of responses. */
  readonly lastInRequests?: readonly string[];
}

/**
 * One field of a resource. `View` is its type in responses, `Stored` that of its column. Each method returns a changed copy.
 */
export class Field<
  View = unknown,
  Stored = unknown,
  Column extends ColumnOf = ColumnOf,
  Written extends WrittenBy = WrittenBy,
> {
  declare readonly view: View;
  declare readonly value: Stored;

  constructor(
    readonly schema: FieldSchema,
    readonly column: Column,
    readonly written: Written,
    readonly input: Input | null = null,
    /** The shape of an object, or of the objects in a list. */
    readonly shape: Shape | null = null,
  ) {}

  /** Those of a choice. */
  get words(): readonly string[] {
    return (this.schema.enum ?? []) as readonly string[];
  }

  orNull(): Field<View | null, Stored | null, Column, Written> {
    return new Field({ ...this.schema, nullable: true }, this.column, this.written, this.input, this.shape);
  }

  /** Stored in the column of the same name. */
  stored(): Field<View, Stored, true, Written> {
    return new Field(this.schema, true, this.written, this.input, this.shape);
  }

  storedAs<const C extends string>(column: C): Field<View, Stored, C, Written> {
    return new Field(this.schema, column, this.written, this.input, this.shape);
  }

  /** Given by the request that creates the resource. */
  given(rule: Rule | null, input: InputOptions = {}): Field<View, Stored, Column, 'create'> {
    return this.writtenBy('create', rule, input);
  }

  /** A setting, which a request can change at any time. */
  settable(rule: Rule | null, input: InputOptions = {}): Field<View, Stored, Column, 'update'> {
    return this.writtenBy('update', rule, input);
  }

  /** Given by the request that creates the resource, and changeable later. */
  editable(rule: Rule | null, input: InputOptions = {}): Field<View, Stored, Column, 'both'> {
    return this.writtenBy('both', rule, input);
  }

  private writtenBy<W extends WrittenBy>(
    by: W,
    rule: Rule | null,
    input: InputOptions,
  ): Field<View, Stored, Column, W> {
    return new Field(this.schema, this.column, by, { required: false, schema: {}, ...input, rule }, this.shape);
  }
}

/** The fields that requests may contain, when the resource is created or changed. */
export const writtenFields = ({ fields, lastInRequests: last = [] }: Shape, by: 'create' | 'update'): NamedField[] =>
  Object.entries(fields)
    .filter(([, { written }]) => written === by || written === 'both')
    .sort(([a], [b]) => last.indexOf(a) - last.indexOf(b));

/** The JSON object that responses have. */
export type FieldValues<F extends Fields> = { -readonly [K in keyof F]: F[K]['view'] };
