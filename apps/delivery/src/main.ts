import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { startProgram } from '#libs/persistence';
import { DeliveryModule } from './delivery.module.js';

await startProgram({ program: 'delivery', imports: () => [BusModule.forRoot(), DeliveryModule] });
