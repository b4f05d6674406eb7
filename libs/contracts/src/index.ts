export * as fields from './definitions/fields.js';
export {
  writtenFields,
  type Field,
  type Fields,
  type FieldSchema,
  type FieldValues,
  type Shape,
} from './definitions/field.js';
export * as formats from './definitions/formats.js';
export {
  Resource,
  resource,
  type ChangesOf,
  type RowOf,
  type SettingsSql,
  type ViewOf,
} from './definitions/resource.js';
export type { Rule, RuleProblem } from './definitions/rule.js';
export * from './domain-stats.js';
export * from './email-status.js';
export * from './erasure.js';
export * from './events.js';
export * from './ids.js';
export * from './limits.js';
export * from './notices.js';
export * from './page.js';
export { mailboxProviders } from './providers.js';
export {
  RECORD_SCHEMA_VERSION,
  type AttemptRecord,
  type EventRecord,
  type PositionRecord,
  type WebhookDeliveryRecord,
} from './records.js';
export * from './refusals.js';
export * as queueNames from './remote-provider.js';
export * from './resend-region.js';
export { ABILITIES, roleRights, type Ability, type Role } from './roles.js';
export * from './scopes.js';
export * as sentences from './sentences.js';
export { simulations, type Simulation } from './simulator.js';
export * from './timestamp.js';
export * from './visibility.js';
