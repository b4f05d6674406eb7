import { accountShapes } from '#libs/accounts';
import { LogDto, LogsQuery } from '../../rest/logs/logs.dto.js';
import { connectionType } from '../connection.js';
import { inputType } from '../dto/input-type.js';
import { objectType } from '../dto/object-type.js';

const LoggedRequestType = objectType(accountShapes.loggedRequest.name, LogDto, {
  description: accountShapes.loggedRequest.about,
});
export const LoggedRequestConnection = connectionType<LogDto>(accountShapes.loggedRequest.name, LoggedRequestType);
export const RequestLogFilter = inputType('RequestLogFilter', LogsQuery, {
  description: 'Selects requests. A request must match all given fields.',
  omit: ['limit', 'after', 'before'],
});
