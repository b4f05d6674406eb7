import 'reflect-metadata';
import { AnalyticsModule } from '#apps/analytics/src/analytics.module';
import { DeliveryModule } from '#apps/delivery/src/delivery.module';
import { FirstAccount } from '#apps/gateway/src/first-account';
import { GatewayModule } from '#apps/gateway/src/gateway.module';
import { FirstUser } from '#apps/gateway/src/session/first-user';
import { startHttpApplication } from '#apps/gateway/src/http-application';
import { RelayModule } from '#apps/relay/src/relay.module';
import { SmtpModule } from '#apps/smtp/src/smtp.module';
import { WebhooksAppModule } from '#apps/webhooks/src/webhooks-app.module';
import { BusModule } from '#libs/bus';
import { Config, tlsFiles } from '#libs/kernel';
import { startEngines, startProgram } from '#libs/persistence';
import { throttlingPlan } from '#libs/queue';
import { StatsModule } from '#libs/stats';
import { welcome } from './welcome.js';

await startProgram({
  program: 'standalone',
  checks: [
    throttlingPlan,
    StatsModule.checkEngine,
    (config) => tlsFiles.read(config, 'HTTP_TLS'),
    (config) => tlsFiles.read(config, 'SMTP_TLS'),
  ],
  prepare: startEngines,
  imports: () => [
    BusModule.forRoot(),
    StatsModule.forRoot(),
    GatewayModule,
    SmtpModule,
    DeliveryModule,
    AnalyticsModule,
    WebhooksAppModule,
    RelayModule,
  ],
  create: startHttpApplication,
  welcome: async (app) => {
    const firstKey = await app.get(FirstAccount).makeKey();
    const loginUrl = await app.get(FirstUser).loginUrl();
    console.log(welcome(app.get(Config), { firstKey, loginUrl }));
  },
});
