import { elsewhere, erasure, erasureReceipt, erasureRequest } from '#libs/erasure';
import { responseClass } from '../../openapi/definition-classes.js';
import { ErasureDto, RequestErasureDto } from '../../rest/erasures/erasures.dto.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';
import { Json } from '../scalars.js';

objectType('ErasureElsewhere', responseClass(elsewhere), { description: elsewhere.about });
objectType('ErasureReceipt', responseClass(erasureReceipt), {
  description: erasureReceipt.about,
  fields: { erased: { type: Json } },
});
objectType('Erasure', ErasureDto, { description: erasure.about });
export const RequestErasureInput = inputType('RequestErasureInput', RequestErasureDto, {
  description: erasureRequest.about,
});
