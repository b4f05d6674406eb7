import { ID } from '@nestjs/graphql';
import { queueShapes } from '#libs/queue';
import { responseClass } from '../../openapi/definition-classes.js';
import { QueueDto } from '../../rest/queues/queues.dto.js';
import { objectType } from '../dto/object-type.js';
import { Long, stringEnum } from '../scalars.js';

const { providerQueue, resumedQueue, sourceAddress, throttle, waitingQueue, warmUpDay } = queueShapes;

/** Views of the operator, which REST does not have. */
export class ProviderQueueDto extends responseClass(providerQueue) {}
export class ThrottleDto extends responseClass(throttle) {}
export class ResumedQueueDto extends responseClass(resumedQueue) {}
export class SourceAddressDto extends responseClass(sourceAddress) {}

stringEnum('ThrottleKind', throttle.fields.state.words, 'How a queue is held back.');
stringEnum('SourceState', sourceAddress.fields.state.words, 'How far the warm-up of an address is.');

export const QueueType = objectType(waitingQueue.name, QueueDto, { description: waitingQueue.about });
export const ProviderQueueType = objectType(providerQueue.name, ProviderQueueDto, {
  description: providerQueue.about,
  fields: { recipients: { type: Long }, waits: { type: [QueueType] } },
});
export const ThrottleType = objectType(throttle.name, ThrottleDto, {
  description: throttle.about,
  fields: { queue: { type: ID } },
});
export const ResumedQueueType = objectType(resumedQueue.name, ResumedQueueDto, {
  description: resumedQueue.about,
  fields: { recipients: { type: Long } },
});
objectType(warmUpDay.name, responseClass(warmUpDay), {
  description: warmUpDay.about,
  fields: { allowance: { type: Long }, used: { type: Long } },
});
export const SourceAddressType = objectType(sourceAddress.name, SourceAddressDto, {
  description: sourceAddress.about,
});
