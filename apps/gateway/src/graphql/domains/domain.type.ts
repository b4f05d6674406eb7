import {
  ChangeDomainDto,
  CreateDomainDto,
  DkimCnameDto,
  DkimDto,
  DkimRotationDto,
  DomainDto,
  DomainRecordDto,
} from '../../rest/domains/domains.dto.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';

objectType('DomainRecord', DomainRecordDto, { description: 'A DNS record to publish for a sending domain.' });
objectType('DkimCname', DkimCnameDto, {
  description: 'A CNAME record that can be published instead of a DKIM TXT record.',
});
objectType('DkimRotation', DkimRotationDto, { description: 'A rotation of the DKIM keys of a domain.' });
objectType('Dkim', DkimDto, { description: 'DKIM signing of a domain.' });

export const DomainType = objectType('Domain', DomainDto, { description: 'A sending domain of the account.' });

export const CreateDomainInput = inputType('CreateDomainInput', CreateDomainDto, {
  description: 'A sending domain to add.',
});
export const UpdateDomainInput = inputType('UpdateDomainInput', ChangeDomainDto, {
  description: 'Changes of the settings of a domain. Absent fields are not changed.',
});
