import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { startProgram } from '#libs/persistence';
import { WebhooksAppModule } from './webhooks-app.module.js';

await startProgram({ program: 'webhooks', imports: () => [BusModule.forRoot(), WebhooksAppModule] });
