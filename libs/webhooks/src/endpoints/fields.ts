import { Refusal, type RefusalDetail } from '#libs/contracts';
import type { PayloadFormat } from '../fan-out/payload-format.js';
import {
  webhookDomainsRule,
  webhookEventsRule,
  webhookFlagRule,
  webhookStatusRule,
  webhookUrlRule,
  type WebhookProblem,
} from './field-rules.js';

/** The settable fields of an endpoint. The values come from outside and may violate the types. */
export interface WebhookFields {
  url: string;
  events: string[];
  /** Restricts the endpoint to events of these domains; null for all events, including those without a domain. */
  domainIds: string[] | null;
  /** Whether opens and clicks of bots are sent to the endpoint. */
  includeBots: boolean;
  status: 'enabled' | 'disabled';
}

/** How the API through which the fields came differs. */
export interface WebhookInputOptions {
  payloadFormat: PayloadFormat;
  /** The name of the URL field. */
  urlField?: 'url' | 'endpoint';
  /** The domains of the account among `domainIds`; undefined if they were not looked up. */
  ownDomains?: ReadonlySet<string>;
}

const NAMES = { events: 'events', domainIds: 'domain_ids', includeBots: 'include_bots', status: 'status' } as const;

/**
 * Checks all given fields, and that those of `required` are given.
 * @throws Refusal `missing_required_field` or `validation_error` with every problem
 */
export function checkWebhookFields(
  fields: Partial<Record<keyof WebhookFields, unknown>>,
  options: WebhookInputOptions & { allowPrivate: boolean },
  required: readonly (keyof WebhookFields)[] = [],
): void {
  const rules: Record<keyof WebhookFields, (value: unknown) => WebhookProblem[]> = {
    url: (value) => webhookUrlRule(value, options),
    events: (value) => webhookEventsRule(value, options.payloadFormat),
    domainIds: (value) => webhookDomainsRule(value, options.ownDomains),
    includeBots: webhookFlagRule,
    status: webhookStatusRule,
  };
  const names = { ...NAMES, url: options.urlField ?? 'url' };
  const missing = required.filter((field) => fields[field] === undefined);
  const problems = (Object.keys(rules) as (keyof WebhookFields)[]).flatMap((field): RefusalDetail[] => {
    if (missing.includes(field)) return [{ field: names[field], code: 'required', message: 'is required' }];
    const found = fields[field] === undefined ? [] : rules[field](fields[field]);
    return found.map(({ path, code, message }) => ({ field: names[field] + path, code, message }));
  });
  if (problems.length === 0) return;
  const sentence = `${problems.map(({ field, message }) => `${field} ${message}`).join('; ')}.`;
  throw new Refusal(missing.length > 0 ? 'missing_required_field' : 'validation_error', problems, sentence);
}
