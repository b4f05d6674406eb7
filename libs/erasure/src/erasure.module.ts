import { Module } from '@nestjs/common';
import { AccountsModule } from '#libs/accounts';
import { ErasureRunner } from './erasure-runner.js';
import { Erasures } from './erasures.js';

/** Requests for the erasure of a recipient. `ErasureRunner` does the work where the statistics store is available. */
@Module({ imports: [AccountsModule], providers: [Erasures], exports: [Erasures] })
export class ErasureModule {}

/** For the program that runs the erasures. The importing program provides the statistics store. */
@Module({ providers: [ErasureRunner], exports: [ErasureRunner] })
export class ErasureRunnerModule {}
