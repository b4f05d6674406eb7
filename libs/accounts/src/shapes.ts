import { account, sendingPause } from './account.resource.js';
import { apiKey } from './api-key.resource.js';
import { auditEntry } from './audit-entry.resource.js';
import { loggedRequest } from './logged-request.resource.js';
import { usage } from './usage.resource.js';

/** The definitions of this library, for requests and responses. */
export const accountShapes = { account, apiKey, auditEntry, loggedRequest, sendingPause, usage };
