export { InboundModule } from './inbound.module.js';
export type { InboundMailbox } from './inbound-message.js';
export { InboundReceiver } from './inbound-receiver.js';
export { INBOUND_VERDICTS, type InboundVerdict } from './inbound-result.js';
export { InboundStore, type StoredInboundMessage } from './inbound-store.js';
