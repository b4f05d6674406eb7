import { Module } from '@nestjs/common';
import { TypeOrmModule } from '@nestjs/typeorm';
import { SuppressionEntity } from './suppression.entity.js';
import { SuppressionList } from './suppression-list.js';

@Module({
  imports: [TypeOrmModule.forFeature([SuppressionEntity])],
  providers: [SuppressionList],
  exports: [SuppressionList],
})
export class SuppressionsModule {}
