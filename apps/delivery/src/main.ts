import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { shapingPlan } from '#libs/emails';
import { startProgram } from '#libs/persistence';
import { DeliveryModule } from './delivery.module.js';

await startProgram({
  program: 'delivery',
  checks: [shapingPlan],
  imports: () => [BusModule.forRoot(), DeliveryModule],
});
