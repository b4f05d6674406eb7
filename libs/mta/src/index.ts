export { Courier } from './courier.js';
export type { CapturedMail, CourierJob, CourierOptions, CourierRecipient, CourierTimeouts } from './courier.js';
export { createCourier } from './create-courier.js';
export type { BounceClass, BounceType, DeliveryPhase, Outcome, Remote, ServerReply } from './delivery-outcome.js';
export { classifyReply } from './reply-classifier.js';
