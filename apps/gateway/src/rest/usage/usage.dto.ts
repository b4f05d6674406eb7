import { accountShapes } from '#libs/accounts';
import { responseClass } from '../../openapi/definition-classes.js';

export class UsageDto extends responseClass(accountShapes.usage) {}
