import { applyDecorators, type Type } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Allow } from 'class-validator';
import type { RefusalDetail } from '#libs/contracts';
import type { Rule, RuleProblem } from '#libs/contracts';
import { declaredFields } from './unknown-fields.js';

/** The OpenAPI schema of the field; `required` and `nullable` of it are validated too. */
export type FieldOptions = ApiPropertyOptions & {
  /** The field is required unless this other field is given. */
  requiredUnless?: string;
  /** The members of the field's object, or of the objects in its array. Others are reported like unknown fields. */
  members?: readonly string[];
};

/**
 * A DTO field that is checked by a pure rule of a library, and that OpenAPI describes by the same options.
 * @param rule null: the library checks the field with others, also whether it is there
 */
export function FieldRule(
  rule: Rule | null,
  { requiredUnless, members, ...schema }: FieldOptions = {},
): PropertyDecorator {
  const { required, nullable } = schema;
  return applyDecorators(
    Allow(),
    ApiProperty({ required: false, ...schema } as ApiPropertyOptions),
    declare({
      members: members && new Set(members),
      // By the schema it is optional, and null is no value of its own.
      isNullAbsent: required !== true && nullable !== true,
      problemsOf: (value, dto) => {
        if (rule === null) return [];
        if (value === undefined) return missing({ required: required === true, requiredUnless }, dto);
        return value === null && nullable === true ? [] : rule(value);
      },
    }),
  );
}

/** What `FieldRule` declares of a field. */
export interface DeclaredField {
  /** The declared members of the field; undefined if they have free names, or if it has none. */
  members: ReadonlySet<string> | undefined;
  /** Null stands for an absent field. */
  isNullAbsent: boolean;
  problemsOf: (value: unknown, dto: Record<string, unknown>) => RuleProblem[];
}

const DECLARED = Symbol('declared');
const declare =
  (field: DeclaredField): PropertyDecorator =>
  (target, property) =>
    Reflect.defineMetadata(DECLARED, field, target, property);

const byClass = new Map<unknown, ReadonlyMap<string, DeclaredField>>();

/** The fields of a class with a rule, own fields before inherited ones. */
export function fieldRules(dtoClass: Type): ReadonlyMap<string, DeclaredField> {
  let rules = byClass.get(dtoClass);
  if (!rules) {
    const all = [...declaredFields(dtoClass)].map(
      (name) => [name, Reflect.getMetadata(DECLARED, dtoClass.prototype as object, name)] as const,
    );
    byClass.set(
      dtoClass,
      (rules = new Map(all.filter((entry): entry is [string, DeclaredField] => entry[1] !== undefined))),
    );
  }
  return rules;
}

function missing(
  { required, requiredUnless }: { required: boolean; requiredUnless: string | undefined },
  dto: Record<string, unknown>,
): RuleProblem[] {
  if (required) return [{ path: '', code: 'required', message: 'is required' }];
  if (requiredUnless === undefined || dto[requiredUnless] !== undefined) return [];
  return [{ path: '', code: 'required', message: `is required when ${requiredUnless} is not given` }];
}

/**
 * All problems of a DTO, field by field, with paths such as `to[3]`, `tags.key` or `attachments[0].content`.
 *
 * The rules are called here and not by `validateSync` of class-validator, which takes four times as long as all rules of an
 * email: an accept takes 18% less CPU time of the server.
 */
export function validateFields(dto: object): RefusalDetail[] {
  const values = dto as Record<string, unknown>;
  const details: RefusalDetail[] = [];
  for (const [field, { problemsOf }] of fieldRules(dto.constructor as Type))
    for (const { path, code, message } of problemsOf(values[field], values))
      details.push({ field: field + path, code, message });
  return details;
}
