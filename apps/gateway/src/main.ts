import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { readTlsFiles } from '#libs/kernel';
import { startProgram } from '#libs/persistence';
import { StatsModule } from '#libs/stats';
import { FirstAccount } from './first-account.js';
import { GatewayModule } from './gateway.module.js';
import { startHttpApplication } from './http-application.js';

await startProgram({
  program: 'gateway',
  checks: [(config) => readTlsFiles(config, 'HTTP_TLS')],
  imports: () => [BusModule.forRoot(), StatsModule.forRoot(), GatewayModule],
  create: startHttpApplication,
  welcome: async (app) => {
    const key = await app.get(FirstAccount).makeKey();
    if (key !== null) console.log(`First API key: ${key} (shown this once)`);
  },
});
