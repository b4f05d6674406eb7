import { erasureShapes } from '#libs/erasure';
import { responseClass } from '../../openapi/definition-classes.js';
import { ErasureDto, RequestErasureDto } from '../../rest/erasures/erasures.dto.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { Json } from '../scalars.js';

objectType('ErasureElsewhere', responseClass(erasureShapes.elsewhere), { description: erasureShapes.elsewhere.about });
objectType('ErasureReceipt', responseClass(erasureShapes.erasureReceipt), {
  description: erasureShapes.erasureReceipt.about,
  fields: { erased: { type: Json } },
});
objectType('Erasure', ErasureDto, { description: erasureShapes.erasure.about });
export const RequestErasureInput = inputType('RequestErasureInput', RequestErasureDto, {
  description: erasureShapes.erasureRequest.about,
});
