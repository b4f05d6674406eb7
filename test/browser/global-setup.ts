import { prepareDataDir } from '../support/prepared-data-dir.js';

export default prepareDataDir;
