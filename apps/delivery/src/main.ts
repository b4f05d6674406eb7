import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { startProgram } from '#libs/persistence';
import { throttlingPlan } from '#libs/queue';
import { DeliveryModule } from './delivery.module.js';

await startProgram({
  program: 'delivery',
  checks: [throttlingPlan],
  imports: () => [BusModule.forRoot(), DeliveryModule],
});
