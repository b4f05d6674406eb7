import 'reflect-metadata';
import { tlsFiles } from '#libs/kernel';
import { startProgram } from '#libs/persistence';
import { SmtpModule } from './smtp.module.js';

await startProgram({
  program: 'smtp',
  checks: [(config) => tlsFiles.read(config, 'SMTP_TLS')],
  imports: () => [SmtpModule],
});
