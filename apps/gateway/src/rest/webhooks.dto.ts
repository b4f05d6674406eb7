import type { Rule } from '#libs/emails';
import { ByRule } from './by-rule.js';

// Form only: which URLs and kinds are allowed is for the webhooks lib to say, which knows the settings.
const urlForm: Rule = (value) =>
  typeof value === 'string' ? [] : [{ path: '', code: 'invalid_type', message: 'must be a string' }];
const eventsForm: Rule = (value) =>
  Array.isArray(value) && value.every((kind) => typeof kind === 'string')
    ? []
    : [{ path: '', code: 'invalid_type', message: 'must be an array of event kinds' }];

/** Body of `POST /webhooks`. */
export class CreateWebhookDto {
  @ByRule(urlForm, { required: true })
  url: string;

  @ByRule(eventsForm, { required: true })
  events: string[];
}
