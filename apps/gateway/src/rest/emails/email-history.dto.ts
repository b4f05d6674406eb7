import { emailShapes } from '#libs/emails';
import { explanationShapes } from '#libs/queue';
import { responseClass } from '../../openapi/definition-classes.js';
import { listOf, pageQueryOf } from '../list.dto.js';

export class EmailEventDto extends responseClass(emailShapes.eventOfEmail) {}

export class EmailEventsQuery extends pageQueryOf('evt') {}
export class EmailEventList extends listOf(EmailEventDto, 'evt') {}

export class AttemptDto extends responseClass(emailShapes.attempt) {}

export class AttemptsQuery extends pageQueryOf('atm') {}
export class AttemptList extends listOf(AttemptDto, 'atm') {}

export class ExplanationDto extends responseClass(explanationShapes.explanation) {}
