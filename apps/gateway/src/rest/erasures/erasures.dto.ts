import { erasureShapes } from '#libs/erasure';
import { bodyClass, responseClass } from '../../openapi/definition-classes.js';

/** Body of `POST /erasures`. */
export class RequestErasureDto extends bodyClass<{ email: string }>(erasureShapes.erasureRequest, 'create') {}

export class ErasureDto extends responseClass(erasureShapes.erasure) {}
