import type { Type } from '@nestjs/common';
import { emailShapes, type NewEmail } from '#libs/emails';
import { requestClass } from '../../openapi/definition-classes.js';
import { IdProperty, IntegerProperty, KindProperty, TextProperty } from '../../openapi/properties.js';

/** Body of `POST /emails`, and each element of a batch. */
export const SendEmailDto: Type<NewEmail> = requestClass(emailShapes.newEmail);
export type SendEmailDto = NewEmail;

/** Response of `POST /emails`. */
export class EmailCreated {
  @IdProperty('em', 'The id of the email')
  id: string;

  @KindProperty('email')
  object: 'email';
}

/** A refused element in the response to a permissive batch. */
export class BatchElementRefused {
  @KindProperty('error')
  object: 'error';

  @IntegerProperty('Its position in the request, from 0', 3)
  index: number;

  @TextProperty('The same as in the response to a single email', 'unprocessable_entity')
  error: string;

  @TextProperty('A human-readable sentence', 'A recipient is on the suppression list.')
  message: string;
}
