import 'reflect-metadata';
import { BusModule } from '#libs/bus';
import { startProgram } from '#libs/persistence';
import { RelayModule } from './relay.module.js';

await startProgram({ program: 'relay', imports: () => [BusModule.forRoot(), RelayModule] });
