import { Refusal, type RefusalDetail } from '#libs/contracts';
import type { WebhookFlavour } from './webhook-flavour.js';
import {
  webhookDomainsRule,
  webhookEventsRule,
  webhookStatusRule,
  webhookUrlRule,
  type WebhookProblem,
} from './webhook-rules.js';

/** What can be set at an endpoint. Typed for callers, judged as if it were not: it comes from outside. */
export interface WebhookFields {
  url: string;
  events: string[];
  /** Only events of these domains; null: of all, and those that belong to no domain. */
  domainIds: string[] | null;
  status: 'enabled' | 'disabled';
}

/** The door through which the fields came. */
export interface WebhookDoor {
  flavour: WebhookFlavour;
  /** What the door calls the URL. */
  urlField?: 'url' | 'endpoint';
  /** The domains of the account among `domainIds`; absent: not looked up. */
  ownDomains?: ReadonlySet<string>;
}

const NAMES = { events: 'events', domainIds: 'domain_ids', status: 'status' } as const;

/**
 * Judges all fields that are given, and that those of `required` are.
 * @throws Refusal `missing_required_field` or `validation_error` with every problem.
 */
export function checkWebhookFields(
  fields: Partial<Record<keyof WebhookFields, unknown>>,
  door: WebhookDoor & { allowPrivate: boolean },
  required: readonly (keyof WebhookFields)[] = [],
): void {
  const rules: Record<keyof WebhookFields, (value: unknown) => WebhookProblem[]> = {
    url: (value) => webhookUrlRule(value, door),
    events: (value) => webhookEventsRule(value, door.flavour),
    domainIds: (value) => webhookDomainsRule(value, door.ownDomains),
    status: webhookStatusRule,
  };
  const names = { ...NAMES, url: door.urlField ?? 'url' };
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
