export { Courier, type CourierOptions, type Envelope, type OutgoingMessage } from './courier.js';
export { createCourier } from './create-courier.js';
export {
  NO_REMOTE,
  type BounceClass,
  type EarlierHost,
  type Outcome,
  type ServerReply,
  type TlsPolicyName,
} from './delivery-outcome.js';
export { classifyReply, type ReplySubject } from './replies/reply-classifier.js';
export { printableText } from './replies/reply-text.js';
export type { MxEndpoint, SourceAddress } from './routing/mx-endpoint.js';
export { MailboxProviders } from './routing/mailbox-providers.js';
export { SmarthostRouter } from './routing/smarthost-router.js';
export { logIn } from './smtp/handshake.js';
export { ReplyReader, type RawReply } from './smtp/reply-reader.js';
export { JsonFileError } from './json-reader.js';
export { readThrottlingPlan } from './throttling/plan/read-throttling-plan.js';
export type { ThrottlingPlan } from './throttling/plan/throttling-plan.js';
export { allowanceOf } from './throttling/warm-up.js';
export { createThrottling, type ProviderThrottling } from './throttling/provider-throttling.js';
export type { SharedThrottlingState, ThrottlingState, WarmUpDay } from './throttling/shared-state.js';
export {
  Throttling,
  type Deferral,
  type ThrottlePermit,
  type Sender,
  type WaitReason,
} from './throttling/throttling.js';
export { daneState } from './tls/dane-availability.js';
export type { StoredStsPolicy, StsFetchResult, StsOptions, StsStore } from './tls/sts-lookup.js';
export type { TlsResult } from './tls/tls-result.js';
export type { Destination } from './routing/route.js';
