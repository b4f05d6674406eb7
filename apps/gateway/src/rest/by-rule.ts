import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { registerDecorator, validateSync, type ValidationArguments, type ValidationError } from 'class-validator';
import type { RefusalDetail } from '#libs/contracts';
import type { Rule, RuleProblem } from '#libs/emails';

interface RuleOptions {
  required?: boolean;
  /** Required unless this other field is given. */
  requiredUnless?: string;
  /** What the documentation says of the field: type or schema, limits, an example. */
  doc?: ApiPropertyOptions;
}
type Judge = (value: unknown, dto: Record<string, unknown>) => RuleProblem[];

const judges = new Map<unknown, Map<string, Judge>>();
const REQUIRED = 'required';

/**
 * A DTO field that a pure rule of its lib judges; the same rule serves the other doors. The rule tells all problems at
 * once and where they are inside the value, which a yes-or-no decorator cannot.
 */
export function ByRule(rule: Rule, options: RuleOptions = {}): PropertyDecorator {
  const judge: Judge = (value, dto) => (value === undefined ? missing(options, dto) : rule(value));
  return (target, property) => {
    const propertyName = String(property);
    ApiProperty({ required: options.required === true, ...options.doc } as ApiPropertyOptions)(target, property);
    judges.set(
      target.constructor,
      (judges.get(target.constructor) ?? new Map<string, Judge>()).set(propertyName, judge),
    );
    registerDecorator({
      name: 'byRule',
      target: target.constructor,
      propertyName,
      options: {},
      validator: {
        validate: (value: unknown, args: ValidationArguments) =>
          judge(value, args.object as Record<string, unknown>).length === 0,
      },
    });
  };
}

function missing({ required, requiredUnless }: RuleOptions, dto: Record<string, unknown>): RuleProblem[] {
  if (required) return [{ path: '', code: REQUIRED, message: 'is required' }];
  if (requiredUnless === undefined || dto[requiredUnless] !== undefined) return [];
  return [{ path: '', code: REQUIRED, message: `is required when ${requiredUnless} is not given` }];
}

/**
 * Everything that is wrong with a DTO. class-validator reports it; whether there is anything to report is found by the
 * same rules without its machinery, which costs more than all rules together.
 */
export function violationsOf(dto: object): RefusalDetail[] {
  return rulesHold(dto) ? [] : problemsOf(validateSync(dto, { forbidUnknownValues: true }));
}

/** What `validateSync` finds no error in, and nothing else. */
export function rulesHold(dto: object): boolean {
  const values = dto as Record<string, unknown>;
  for (const [property, judge] of rulesOf(dto.constructor))
    if (judge(values[property], values).length > 0) return false;
  return true;
}

const compiled = new Map<unknown, readonly [property: string, judge: Judge][]>();

/** The rules of a class and of those from which it has fields, gathered once. */
function rulesOf(dto: unknown): readonly [property: string, judge: Judge][] {
  const known = compiled.get(dto);
  if (known) return known;
  const rules: [string, Judge][] = [];
  for (let of = dto; typeof of === 'function'; of = Object.getPrototypeOf(of)) rules.push(...(judges.get(of) ?? []));
  compiled.set(dto, rules);
  return rules;
}

/** All problems of all fields, with the paths that callers see (`to[3]`, `tags.key`, `attachments[0].content`). */
function problemsOf(errors: ValidationError[]): RefusalDetail[] {
  return errors.flatMap((error) => {
    const judge = judgeOf(error.target?.constructor, error.property);
    const problems = judge?.(error.value, error.target as Record<string, unknown>) ?? [];
    return problems.map(({ path, code, message }) => ({ field: error.property + path, code, message }));
  });
}

/** Of the DTO class, or of the class from which it has the field. */
function judgeOf(dto: unknown, property: string): Judge | undefined {
  for (let of = dto; typeof of === 'function'; of = Object.getPrototypeOf(of)) {
    const judge = judges.get(of)?.get(property);
    if (judge) return judge;
  }
  return undefined;
}
