import { ApiSchema } from '@nestjs/swagger';

/**
 * Combinations of the fields of a body that the service refuses, for its schema. They are written with `not`, because
 * generators of clients turn `oneOf` and `anyOf` beside `properties` into unions of types without fields.
 */
export const Refuses = (...combinations: object[]): ClassDecorator =>
  ApiSchema({ not: combinations.length === 1 ? combinations[0] : { anyOf: combinations } } as object);

/** All of these fields at once. */
export const together = (...fields: string[]): object => ({ required: fields });

/** As `together`, for fields whose null means the same as no value. */
export const togetherUnlessNull = (...fields: string[]): object => ({
  required: fields,
  properties: Object.fromEntries(fields.map((field) => [field, { not: { type: 'null' } }])),
});

/** None of these fields, or of the bodies that these schemas describe. */
export const noneOf = (...alternatives: (string | object)[]): object => ({
  allOf: alternatives.map((one) => ({ not: typeof one === 'string' ? { required: [one] } : one })),
});
