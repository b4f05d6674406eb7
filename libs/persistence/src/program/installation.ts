import {
  establishMasterKey,
  masterKeyProblem,
  recordFirstAccount,
  recordFirstUser,
  recordMasterKey,
} from './master-key-check.js';
import { masterKeyStatus, rotateMasterKey } from './master-key-rotation.js';

/** What the database knows of the installation that it belongs to. */
export const installation = {
  establishMasterKey,
  masterKeyProblem,
  masterKeyStatus,
  recordFirstAccount,
  recordFirstUser,
  recordMasterKey,
  rotateMasterKey,
};
