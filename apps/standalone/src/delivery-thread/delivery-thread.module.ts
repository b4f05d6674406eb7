import { Module } from '@nestjs/common';
import { EmailsModule } from '#libs/emails';
import { DeliveryThread } from './delivery-thread.js';

/** In place of the delivery module, which runs in the thread. */
@Module({ imports: [EmailsModule], providers: [DeliveryThread] })
export class DeliveryThreadModule {}
