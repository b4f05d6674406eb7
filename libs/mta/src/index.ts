export { Courier } from './courier.js';
export type {
  CapturedMail,
  CourierJob,
  CourierOptions,
  CourierRecipient,
  CourierTimeouts,
  Destination,
  SourceAddress,
} from './courier.js';
export { createCourier } from './create-courier.js';
export { NO_REMOTE } from './delivery-outcome.js';
export type {
  BounceClass,
  BounceType,
  DeliveryPhase,
  EarlierHost,
  Outcome,
  Remote,
  ServerReply,
  TlsPolicyName,
} from './delivery-outcome.js';
export { dnsFault } from './dns-fault.js';
export { printableText } from './printable-text.js';
export { ReplyReader, type RawReply } from './reply-reader.js';
export { Resolver, type MxAnswer, type MxHost, type NameAnswer } from './resolver.js';
export { reversed, reverseName } from './reverse-name.js';
export { SmarthostRouter } from './smarthost-route.js';
export { logIn } from './smtp-login.js';
export type { Target } from './target.js';
export { classifyReply } from './reply-classifier.js';
export { Shaping } from './shaping/shaping.js';
export type { Admission, Obstacle, Pass, Sender, WaitKind, WaitReason } from './shaping/shaping.js';
export type { TlsPolicyType, TlsResult, TlsResultType } from './tls-policy/tls-result.js';
export { createShaping } from './shaping/create-shaping.js';
export { ShapingFileError } from './shaping/file-place.js';
export { MailboxProviders } from './shaping/mailbox-provider.js';
export type { ProviderShaping, ShapingOptions } from './shaping/provider-shaping.js';
export { readShapingPlan } from './shaping/read-shaping-plan.js';
export type { ShapingMemory, ShapingState, WarmUpDay } from './shaping/shaping-memory.js';
export type { ShapingPlan } from './shaping/shaping-plan.js';
export { daneState, type DaneState } from './tls-policy/dane-switch.js';
export type { KeptStsPolicy, StsAnswer, StsOptions, StsStore } from './tls-policy/sts-policies.js';
export type { StsPolicy } from './tls-policy/sts-policy.js';
