import { Module } from '@nestjs/common';
import { SuppressionEntries } from './suppression-entries.js';
import { SuppressionList } from './suppression-list.js';

@Module({
  providers: [SuppressionEntries, SuppressionList],
  exports: [SuppressionEntries, SuppressionList],
})
export class SuppressionsModule {}
