import { Refusal, type RefusalDetail, type Rule } from '#libs/contracts';
import type { PayloadFormat } from '../fan-out/payload-format.js';
import type { WebhookSettings } from '../webhook.resource.js';
import {
  webhookDomainsRule,
  webhookEventsRule,
  webhookFlagRule,
  webhookStatusRule,
  webhookUrlRule,
} from './field-rules.js';

/** How the API through which the fields came differs. */
export interface WebhookInputOptions {
  payloadFormat: PayloadFormat;
  /** The name of the URL field. */
  urlField?: 'url' | 'endpoint';
  /** The domains of the account among `domain_ids`; undefined if they were not looked up. */
  ownDomains?: ReadonlySet<string>;
}

type Name = keyof WebhookSettings;

/**
 * Checks all given fields, and that those of `required` are given.
 * @throws Refusal `missing_required_field` or `validation_error` with every problem
 */
export function checkWebhookFields(
  fields: Partial<Record<Name, unknown>>,
  options: WebhookInputOptions & { allowPrivate: boolean },
  required: readonly Name[] = [],
): void {
  const rules: Record<Name, Rule> = {
    url: (value) => webhookUrlRule(value, options),
    events: (value) => webhookEventsRule(value, options.payloadFormat),
    domain_ids: (value) => webhookDomainsRule(value, options.ownDomains),
    include_bots: webhookFlagRule,
    status: webhookStatusRule,
  };
  const missing = required.filter((field) => fields[field] === undefined);
  const problems = (Object.keys(rules) as Name[]).flatMap((field): RefusalDetail[] => {
    const name = field === 'url' ? (options.urlField ?? 'url') : field;
    if (missing.includes(field)) return [{ field: name, code: 'required', message: 'is required' }];
    const found = fields[field] === undefined ? [] : rules[field](fields[field]);
    return found.map(({ path, code, message }) => ({ field: name + path, code, message }));
  });
  if (problems.length === 0) return;
  const sentence = `${problems.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
  throw new Refusal(missing.length > 0 ? 'missing_required_field' : 'validation_error', problems, sentence);
}
