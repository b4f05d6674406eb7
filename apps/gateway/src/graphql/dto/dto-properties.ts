import type { Type } from '@nestjs/common';
import { DECORATORS } from '@nestjs/swagger';
import { COMMON_DESCRIPTIONS } from '../../openapi/common-fields.js';

/** A field of a REST DTO, as its decorators describe it. */
export interface DtoProperty {
  /** The name in JSON, such as `created_at`. */
  name: string;
  description: string;
  /** A class, or a word of JSON Schema such as `integer`. */
  type: unknown;
  isList: boolean;
  isRequired: boolean;
  isNullable: boolean;
  isTime: boolean;
  /** The permitted words; empty if there is no such list. */
  words: readonly string[];
}

/** A text without a description, such as a parameter of a path. */
export const TEXT_PROPERTY: Omit<DtoProperty, 'name'> = {
  description: '',
  type: String,
  isList: false,
  isRequired: true,
  isNullable: false,
  isTime: false,
  words: [],
};

/** The part of the decorators' schema that is read here. */
interface Schema {
  type?: unknown;
  isArray?: boolean;
  items?: { enum?: unknown[]; type?: unknown };
  enum?: unknown[];
  required?: boolean | string[];
  selfRequired?: boolean;
  nullable?: boolean;
  format?: string;
  description?: string;
}

/** The fields of a DTO class with those of its base classes, in order. */
export function propertiesOf(dto: Type): DtoProperty[] {
  const prototype = dto.prototype as object;
  const names = (Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES_ARRAY, prototype) ?? []) as string[];
  return names.map((name) => {
    const field = name.slice(1);
    return toProperty(field, Reflect.getMetadata(DECORATORS.API_MODEL_PROPERTIES, prototype, field) as Schema);
  });
}

function toProperty(name: string, schema: Schema): DtoProperty {
  const words = (schema.enum ?? schema.items?.enum ?? []).filter((word) => typeof word === 'string');
  return {
    name,
    description: schema.description ?? COMMON_DESCRIPTIONS[name] ?? '',
    type: words.length === 0 ? (schema.type === 'array' ? schema.items?.type : schema.type) : 'string',
    isList: schema.isArray === true || schema.type === 'array',
    isRequired: schema.required !== false && schema.selfRequired !== false,
    isNullable: schema.nullable === true,
    isTime: schema.format === 'date-time',
    words,
  };
}

/** `created_at` as GraphQL names it: `createdAt`. */
export const camelCase = (name: string): string =>
  name.replace(/_([a-z0-9])/g, (_, letter: string) => letter.toUpperCase());
