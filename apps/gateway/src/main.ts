import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { tlsFiles } from '#libs/kernel';
import { startProgram } from '#libs/persistence';
import { StatsModule } from '#libs/stats';
import { FirstAccount } from './first-account.js';
import { GatewayModule } from './gateway.module.js';
import { FirstUser } from './session/first-user.js';
import { startHttpApplication } from './http-application.js';

await startProgram({
  program: 'gateway',
  checks: [(config) => tlsFiles.read(config, 'HTTP_TLS')],
  imports: () => [BusModule.forRoot(), StatsModule.forRoot(), GatewayModule],
  create: startHttpApplication,
  welcome: async (app) => {
    const key = await app.get(FirstAccount).makeKey();
    if (key === null) return;
    console.log(`First API key: ${key} (shown this once)`);
    const url = await app.get(FirstUser).loginUrl();
    if (url !== null) console.log(`First login to the dashboard, within 15 minutes: ${url}`);
  },
});
