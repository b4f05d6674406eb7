import 'reflect-metadata';
import { startProgram } from '#libs/persistence';
import { SmtpModule } from './smtp.module.js';

await startProgram({ program: 'smtp', imports: () => [SmtpModule] });
