import {
  EMAIL_STATUSES,
  EVENT_TYPES,
  LAST_EVENTS,
  LIMITS,
  sentences,
  writtenFields,
  type Field,
  type Resource,
  mailboxProviders,
} from '#libs/contracts';
import { accountShapes } from '#libs/accounts';
import { domainShapes } from '#libs/domains';
import { suppressionShapes } from '#libs/suppressions';
import { webhookShapes } from '#libs/webhooks';
import { camelCase } from '../graphql/dto/dto-properties.js';
import { inGraphql } from '../graphql/dto/object-type.js';

const HEADER = `// Generated from the definitions of the server by tools/generate.mjs. Do not edit.
`;

const WORDS: Readonly<Record<string, readonly string[]>> = {
  ACCOUNT_STATUSES: accountShapes.account.fields.status.words,
  DELIVERY_STATUSES: webhookShapes.webhookEvent.fields.status.words,
  EMAIL_STATUSES,
  EVENT_TYPES,
  LAST_EVENTS,
  SUPPRESSION_ORIGINS: suppressionShapes.suppression.fields.origin.words,
};

/** A provider has one label, whatever name its queues have. */
const PROVIDER_LABELS = Object.fromEntries(
  mailboxProviders.all.flatMap(({ name, id = name, label }) => [
    [id, label],
    [name, label],
  ]),
);

/** What machine words mean to people. */
const { throttleCause: _, ...SENTENCES } = sentences;

const RESOURCES: readonly Resource[] = [domainShapes.domain];

/** The text of `apps/dashboard/src/generated/constants.ts`: words, limits, patterns and help texts that the server knows. */
export function renderDashboardConstants(): string {
  return [
    HEADER,
    ...Object.entries(WORDS).map(([name, words]) => `export const ${name} = ${literal(words)} as const;\n`),
    ...Object.entries(SENTENCES).map(([name, table]) => `export const ${name} = ${literal(table)} as const;\n`),
    `export const LIMITS = ${literal(LIMITS)} as const;\n`,
    `/** Of providers and of their queues. */\nexport const PROVIDER_LABELS: Readonly<Record<string, string>> = ${literal(PROVIDER_LABELS)};\n`,
    ...RESOURCES.map((one) => `export const ${one.name.toUpperCase()}_FIELDS = ${literal(fieldsOf(one))} as const;\n`),
  ].join('\n');
}

/** The fields that a request may write, by their names in GraphQL. */
function fieldsOf(resource: Resource): Record<string, object> {
  const written = [...writtenFields(resource, 'create'), ...writtenFields(resource, 'update')];
  return Object.fromEntries(written.map(([name, field]) => [camelCase(name), constantsOf(field)]));
}

function constantsOf({ schema, input }: Field): object {
  const { description = '', enum: words, items, ...limits } = { ...schema, ...input?.schema };
  const { pattern = items?.pattern, maxLength = items?.maxLength, minimum, maximum, maxItems } = limits;
  return { help: inGraphql(description), ...known({ words, pattern, maxLength, minimum, maximum, maxItems }) };
}

const known = (values: object): object =>
  Object.fromEntries(Object.entries(values).filter(([, value]) => value !== undefined));

const literal = (value: unknown): string => JSON.stringify(value, null, 2);
