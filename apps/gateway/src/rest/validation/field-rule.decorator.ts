import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, DECORATORS, type ApiPropertyOptions } from '@nestjs/swagger';
import { registerDecorator, validateSync, type ValidationArguments } from 'class-validator';
import type { RefusalDetail } from '#libs/contracts';
import type { Rule, RuleProblem } from '#libs/contracts';

/** The OpenAPI schema of the field; `required` and `nullable` of it are validated too. */
export type FieldOptions = ApiPropertyOptions & {
  /** The field is required unless this other field is given. */
  requiredUnless?: string;
  /** The members of the field's object, or of the objects in its array. Others are reported like unknown fields. */
  members?: readonly string[];
};

/**
 * A DTO field that class-validator checks by a pure rule of a library, and that OpenAPI describes by the same options.
 * @param rule null: the library checks the field with others, also whether it is there
 */
export function FieldRule(
  rule: Rule | null,
  { requiredUnless, members, ...schema }: FieldOptions = {},
): PropertyDecorator {
  const { required, nullable } = schema;
  return applyDecorators(
    ...(members === undefined ? [] : [declareMembers(members)]),
    ApiProperty({ required: false, ...schema } as ApiPropertyOptions),
    validatedBy((value, dto) => {
      if (rule === null) return [];
      if (value === undefined) return missing({ required: required === true, requiredUnless }, dto);
      return value === null && nullable === true ? [] : rule(value);
    }),
  );
}

/** Whether null stands for an absent field: by the OpenAPI schema it is optional, and null is no value of its own. */
export function isNullAbsent(dtoClass: Type, field: string): boolean {
  const prototype = dtoClass.prototype as object;
  const schema = Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, field) as
    | ApiPropertyOptions
    | undefined;
  return schema?.required === false && schema.nullable !== true;
}

const MEMBERS = Symbol('members');

const declareMembers =
  (members: readonly string[]): PropertyDecorator =>
  (target, property) =>
    Reflect.defineMetadata(MEMBERS, new Set(members), target, property);

/** The declared members of a field; undefined for a field whose members have free names, or that has none. */
export const declaredMembers = (dtoClass: Type, field: string): ReadonlySet<string> | undefined =>
  Reflect.getMetadata(MEMBERS, dtoClass.prototype as object, field) as ReadonlySet<string> | undefined;

function missing(
  { required, requiredUnless }: { required: boolean; requiredUnless: string | undefined },
  dto: Record<string, unknown>,
): RuleProblem[] {
  if (required) return [{ path: '', code: 'required', message: 'is required' }];
  if (requiredUnless === undefined || dto[requiredUnless] !== undefined) return [];
  return [{ path: '', code: 'required', message: `is required when ${requiredUnless} is not given` }];
}

type Check = (value: unknown, dto: Record<string, unknown>) => RuleProblem[];

function validatedBy(check: Check): PropertyDecorator {
  return (target, property) =>
    registerDecorator({
      name: 'fieldRule',
      target: target.constructor,
      propertyName: String(property),
      validator: {
        validate(value: unknown, { object, property: field }: ValidationArguments): boolean {
          const problems = check(value, object as Record<string, unknown>);
          record(object, field, problems);
          return problems.length === 0;
        },
      },
    });
}

/** The errors of class-validator have neither codes nor paths, so the problems of a DTO are kept beside them. */
const recorded = new WeakMap<object, RefusalDetail[]>();

function record(dto: object, field: string, problems: RuleProblem[]): void {
  if (problems.length === 0) return;
  const details = problems.map(({ path, code, message }) => ({ field: field + path, code, message }));
  recorded.set(dto, [...(recorded.get(dto) ?? []), ...details]);
}

/** All problems of a DTO, field by field, with paths such as `to[3]`, `tags.key` or `attachments[0].content`. */
export function validateFields(dto: object): RefusalDetail[] {
  if (validateSync(dto, { dismissDefaultMessages: true }).length === 0) return [];
  const problems = recorded.get(dto) ?? [];
  recorded.delete(dto);
  return problems;
}
