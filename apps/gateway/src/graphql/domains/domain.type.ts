import type { Shape } from '#libs/contracts';
import { domainShapes } from '#libs/domains';
import { responseClass } from '../../openapi/definition-classes.js';
import { ChangeDomainDto, CreateDomainDto, DomainDto } from '../../rest/domains/domains.dto.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';

for (const shape of <Shape[]>[
  domainShapes.domainRecord,
  domainShapes.dkimCname,
  domainShapes.dkimRotation,
  domainShapes.dkim,
])
  objectType(shape.name, responseClass(shape), { description: shape.about });

export const DomainType = objectType(domainShapes.domain.name, DomainDto, { description: domainShapes.domain.about });

export const CreateDomainInput = inputType('CreateDomainInput', CreateDomainDto, {
  description: 'A sending domain to add.',
});
export const UpdateDomainInput = inputType('UpdateDomainInput', ChangeDomainDto, {
  description: 'Changes of the settings of a domain. Absent fields are not changed.',
});
