export { BackupModule } from './backup.module.js';
export { createBackup } from './create-backup.js';
export { exportAccount } from './export-account.js';
export { restoreBackup, type Restored } from './restore-backup.js';
export { verifyBackup } from './verify-backup.js';
