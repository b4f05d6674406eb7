import 'reflect-metadata';
import { readTlsFiles } from '#libs/kernel';
import { startProgram } from '#libs/persistence';
import { SmtpModule } from './smtp.module.js';

await startProgram({
  program: 'smtp',
  checks: [(config) => readTlsFiles(config, 'SMTP_TLS')],
  imports: () => [SmtpModule],
});
