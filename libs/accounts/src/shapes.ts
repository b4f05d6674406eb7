import { account, accountPenalty, sendingPause } from './account.resource.js';
import { apiKey } from './api-key.resource.js';
import { auditEntry } from './audit-entry.resource.js';
import { loggedRequest } from './logged-request.resource.js';
import { operatorAccount, operatorAccountChange } from './operator-account.resource.js';
import { usage } from './usage.resource.js';

/** The definitions of this library, for requests and responses. */
export const accountShapes = {
  account,
  accountPenalty,
  apiKey,
  auditEntry,
  loggedRequest,
  operatorAccount,
  operatorAccountChange,
  sendingPause,
  usage,
};
