import { prepareDataDir } from '../support/services/prepared-data-dir.js';

export default prepareDataDir;
