import { queueShapes } from '#libs/queue';
import { responseClass } from '../../openapi/definition-classes.js';
import { listOf } from '../list.dto.js';

export class QueueDto extends responseClass(queueShapes.waitingQueue) {}

export class QueueList extends listOf(QueueDto) {}
