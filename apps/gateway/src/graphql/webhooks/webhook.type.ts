import {
  WebhookEventDto,
  WebhookEventsQuery,
  WebhookAttemptDto,
  ReplayDto,
  ReplayFilterDto,
  ReplayStateDto,
} from '../../rest/webhooks/webhook-events.dto.js';
import {
  ChangeWebhookDto,
  CreatedWebhookDto,
  CreateWebhookDto,
  DeliveryFiguresDto,
  LastDayDto,
  RotatedSecretDto,
  RotateSecretDto,
  WebhookDto,
} from '../../rest/webhooks/webhooks.dto.js';
import { connectionType } from '../connection.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';

export const WebhookType = objectType('Webhook', WebhookDto, {
  description: 'A subscription to events.',
  fields: { include_bots: { nullable: false } },
});
objectType('WebhookDay', LastDayDto, { description: 'Deliveries and calls of the last 24 hours.' });
export const WebhookFiguresType = objectType('WebhookFigures', DeliveryFiguresDto, {
  description: 'How a webhook keeps up with its events.',
});
export const CreatedWebhookType = objectType('CreatedWebhook', CreatedWebhookDto, {
  description: 'A new webhook with its signing secret.',
  fields: { include_bots: { nullable: false } },
});
export const RotatedSecretType = objectType('RotatedWebhookSecret', RotatedSecretDto, {
  description: 'The new signing secret of a webhook.',
});

export const WebhookDeliveryType = objectType('WebhookDelivery', WebhookEventDto, {
  description: 'An event that is sent to a webhook.',
});
export const WebhookDeliveryConnection = connectionType<WebhookEventDto>('WebhookDelivery', WebhookDeliveryType);

const WebhookCallType = objectType('WebhookCall', WebhookAttemptDto, {
  description: 'A call of a webhook for one event.',
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
  description: 'How to rotate the signing secret of a webhook.',
});
export const ReplayWebhookInput = inputType('ReplayWebhookInput', ReplayDto, {
  description: 'The events to send again.',
  fields: { after: { description: 'The `nextCursor` of the previous call, to continue after its last event' } },
});
objectType('WebhookReplayFilter', ReplayFilterDto, { description: 'The events of a replay.' });
export const WebhookReplayType = objectType('WebhookReplay', ReplayStateDto, {
  description: 'A replay of the events of a time range, with its progress.',
});
export const WebhookReplayConnection = connectionType<ReplayStateDto>('WebhookReplay', WebhookReplayType);
