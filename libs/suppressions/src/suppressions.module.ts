import { Module } from '@nestjs/common';
import { SuppressionCache } from './matching/suppression-cache.js';
import { SuppressionEntries } from './entries/suppression-entries.js';
import { SuppressionList } from './matching/suppression-list.js';

@Module({
  providers: [SuppressionCache, SuppressionEntries, SuppressionList],
  exports: [SuppressionEntries, SuppressionList],
})
export class SuppressionsModule {}
