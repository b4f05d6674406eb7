import { Module } from '@nestjs/common';
import { Shaping } from '#libs/mta';
import { SharedShaping } from './shared-shaping.js';

/** For programs that deliver. `Shaping` is the one to ask; `SharedShaping` has the plan. */
@Module({
  providers: [
    SharedShaping,
    { provide: Shaping, inject: [SharedShaping], useFactory: (shared: SharedShaping) => shared.shaping },
  ],
  exports: [SharedShaping, Shaping],
})
export class ShapingModule {}
