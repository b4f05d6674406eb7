import { Module } from '@nestjs/common';
import { ShortLists } from './short-lists.js';
import { SuppressionEntries } from './suppression-entries.js';
import { SuppressionList } from './suppression-list.js';

@Module({
  providers: [ShortLists, SuppressionEntries, SuppressionList],
  exports: [SuppressionEntries, SuppressionList],
})
export class SuppressionsModule {}
