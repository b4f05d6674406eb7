import { Module } from '@nestjs/common';
import { DoctorRuns } from './doctor-runs.js';

/** Runs of the doctor in a program. */
@Module({ providers: [DoctorRuns], exports: [DoctorRuns] })
export class DoctorModule {}
