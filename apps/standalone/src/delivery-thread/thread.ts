// The delivery program as a thread of the standalone one; begun by `DeliveryThread`, with which alone it talks.
import 'reflect-metadata';
import { parentPort, workerData } from 'node:worker_threads';
import { DeliveryModule } from '#apps/delivery/src/delivery.module';
import { BusModule } from '#libs/bus';
import { Config } from '#libs/kernel';
import { startThread } from '#libs/persistence';
import { DeliveryLine } from './delivery-line.js';
import type { ThreadData } from './messages.js';

const { settings, home } = workerData as ThreadData;
const app = await startThread(new Config('delivery', settings, home), [BusModule.forRoot(), DeliveryModule]);
if (parentPort === null) throw new Error('This is started by the standalone program.');
new DeliveryLine(app, parentPort).open();
