import { advice, recordToPublish } from './advice/advice.resource.js';
import { dkim, dkimCname, dkimRotation, domain, domainRecord } from './domain.resource.js';

/** The definitions of this library, for requests and responses. */
export const domainShapes = { advice, dkim, dkimCname, dkimRotation, domain, domainRecord, recordToPublish };
