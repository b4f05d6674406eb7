import {
  WebhookEventDto,
  WebhookEventsQuery,
  WebhookAttemptDto,
  ReplayDto,
  ReplayStateDto,
} from '../../rest/webhooks/webhook-events.dto.js';
import {
  ChangeWebhookDto,
  CreatedWebhookDto,
  CreateWebhookDto,
  RotatedSecretDto,
  RotateSecretDto,
  WebhookDto,
} from '../../rest/webhooks/webhooks.dto.js';
import { webhookShapes } from '#libs/webhooks';
import { responseClass } from '../../openapi/definition-classes.js';
import { connectionType } from '../connection.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';

export const WebhookType = objectType('Webhook', WebhookDto, {
  description: webhookShapes.webhook.about,
  fields: { include_bots: { nullable: false } },
});
objectType('WebhookDay', responseClass(webhookShapes.lastDay), { description: webhookShapes.lastDay.about });
export const WebhookFiguresType = objectType('WebhookFigures', responseClass(webhookShapes.deliveryFigures), {
  description: webhookShapes.deliveryFigures.about,
});
objectType('CreatedWebhook', CreatedWebhookDto, {
  description: webhookShapes.createdWebhook.about,
  fields: { include_bots: { nullable: false } },
});
objectType('RotatedWebhookSecret', RotatedSecretDto, {
  description: webhookShapes.rotatedSecret.about,
});

export const WebhookDeliveryType = objectType('WebhookDelivery', WebhookEventDto, {
  description: webhookShapes.webhookEvent.about,
});
export const WebhookDeliveryConnection = connectionType<WebhookEventDto>('WebhookDelivery', WebhookDeliveryType);

const WebhookCallType = objectType('WebhookCall', WebhookAttemptDto, {
  description: webhookShapes.webhookAttempt.about,
});
export const WebhookCallConnection = connectionType<WebhookAttemptDto>('WebhookCall', WebhookCallType);

export const WebhookDeliveryFilter = inputType('WebhookDeliveryFilter', WebhookEventsQuery, {
  description: 'Selects events of a webhook. An event must match all given fields.',
  omit: ['limit', 'after', 'before'],
});

export const CreateWebhookInput = inputType('CreateWebhookInput', CreateWebhookDto, {
  description: 'A webhook to create.',
  omit: ['endpoint'],
  fields: {
    url: {
      required: true,
      description:
        'The https URL to call: a public address, without user name, fragment, or the port of another service',
    },
  },
});
export const UpdateWebhookInput = inputType('UpdateWebhookInput', ChangeWebhookDto, {
  description: 'Changes of a webhook. Absent fields are not changed.',
  omit: ['endpoint'],
});
export const RotateWebhookSecretInput = inputType('RotateWebhookSecretInput', RotateSecretDto, {
  description: webhookShapes.secretRotation.about,
});
export const ReplayWebhookInput = inputType('ReplayWebhookInput', ReplayDto, {
  description: webhookShapes.replayRequest.about,
  fields: { after: { description: 'The `nextCursor` of the previous call, to continue after its last event' } },
});
objectType('WebhookReplayFilter', responseClass(webhookShapes.replayFilter), {
  description: webhookShapes.replayFilter.about,
});
const WebhookReplayType = objectType('WebhookReplay', ReplayStateDto, {
  description: webhookShapes.webhookReplay.about,
});
export const WebhookReplayConnection = connectionType<ReplayStateDto>('WebhookReplay', WebhookReplayType);
