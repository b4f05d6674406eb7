import { ApiProperty } from '@nestjs/swagger';
import { type WebhookSettings, webhookShapes } from '#libs/webhooks';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';
import { IdProperty, KindProperty } from '../../openapi/properties.js';
import { noneOf, Refuses } from '../../openapi/refused-combinations.js';

/** `endpoint` is the name of `url` in the API of Resend. */
const { url, ...others } = webhookShapes.webhook.fields;
const body = { ...webhookShapes.webhook, fields: { url, endpoint: url, ...others } };
type Settings = WebhookSettings & { endpoint?: string };
const ENDPOINT = 'Another name for `url`; ignored if `url` is given';

/** Body of `POST /webhooks`. */
@Refuses(noneOf('url', 'endpoint'))
export class CreateWebhookDto extends bodyClass<Settings>(body, 'create') {
  @ApiProperty({ description: `${url.input?.schema.description}. Required unless \`endpoint\` is given` })
  override url?: string;

  @ApiProperty({ description: ENDPOINT })
  override endpoint?: string;
}

/** Body of `PATCH /webhooks/:id`. Absent fields are not changed. */
export class ChangeWebhookDto extends bodyClass<Settings>(body, 'update') {
  @ApiProperty({ description: ENDPOINT })
  override endpoint?: string;
}

/** Body of `POST /webhooks/:id/signing-secret/rotate`. */
export class RotateSecretDto extends bodyClass<{ overlap_hours?: number }>(webhookShapes.secretRotation, 'create') {}

export class WebhookDto extends responseClass(webhookShapes.webhook) {}
export class WebhookDetailDto extends responseClass(webhookShapes.webhookDetail) {}
export class CreatedWebhookDto extends responseClass(webhookShapes.createdWebhook) {}
export class RotatedSecretDto extends responseClass(webhookShapes.rotatedSecret) {}

export class WebhookDeletedDto {
  @KindProperty('webhook')
  object: 'webhook';

  @IdProperty('wh', 'The id of the webhook')
  id: string;

  @ApiProperty({ enum: [true], description: 'Always true', example: true })
  deleted: true;
}
