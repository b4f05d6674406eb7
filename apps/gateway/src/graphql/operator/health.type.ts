import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import type { CheckResult, DoctorRun, ServiceZone } from '#libs/doctor';
import { DateTime, Long, stringEnum } from '../scalars.js';

@ObjectType('HealthPart', { description: 'A part that the readiness of this process depends on.' })
class HealthPartType {
  @Field(() => String, { description: 'Its name, as in `/readyz`.' })
  part: string;
  @Field(() => String, { nullable: true, description: 'Why it is not ready; null if it is.' })
  reason: string | null;
}

@ObjectType('ServiceProgram', { description: 'A running program of this installation.' })
class ServiceProgramType {
  @Field(() => String, { description: 'Its name.' })
  program: string;
  @Field(() => Boolean, { description: 'Whether its heartbeat is younger than 20 seconds.' })
  isAlive: boolean;
  @Field(() => Float, { description: 'Seconds since its last heartbeat.' })
  silentSeconds: number;
}

@ObjectType('DatabaseHealth', { description: 'The PostgreSQL server.' })
class DatabaseHealthType {
  @Field(() => String, { description: 'Its version.' })
  version: string;
  @Field(() => Long, { description: 'The size of the database in bytes.' })
  bytes: number;
  @Field(() => Int, { description: 'Connections in use, of all clients.' })
  connectionsUsed: number;
  @Field(() => Int, { description: 'Connections that the server allows.' })
  connectionsAllowed: number;
}

@ObjectType('StatisticsHealth', { description: 'The statistics store.' })
class StatisticsHealthType {
  @Field(() => String, { description: '`server` for ClickHouse, `embedded` for chDB in the process.' })
  engine: 'server' | 'embedded';
  @Field(() => String, { nullable: true, description: 'The version of the server.' })
  version: string | null;
  @Field(() => String, { nullable: true, description: 'Why it does not answer; null if it does.' })
  problem: string | null;
}

@ObjectType('DiskHealth', { description: 'The disk with the data directory of this process.' })
class DiskHealthType {
  @Field(() => String, { description: 'The data directory.' })
  folder: string;
  @Field(() => Long, { description: 'Free bytes.' })
  freeBytes: number;
  @Field(() => Long, { description: 'The size of the file system in bytes.' })
  totalBytes: number;
}

@ObjectType('ServiceHealth', { description: 'The state of the service, as the process that answers sees it.' })
export class ServiceHealthType {
  @Field(() => [HealthPartType], { description: 'What its readiness depends on.' })
  parts: HealthPartType[];
  @Field(() => [ServiceProgramType], { description: 'Running programs, at most 100.' })
  programs: ServiceProgramType[];
  @Field(() => DatabaseHealthType, { description: 'The PostgreSQL server.' })
  database: DatabaseHealthType;
  @Field(() => StatisticsHealthType, { description: 'The statistics store.' })
  statistics: StatisticsHealthType;
  @Field(() => DiskHealthType, { nullable: true, description: 'Its disk; null if it cannot be read.' })
  disk: DiskHealthType | null;
  @Field(() => String, { description: 'The version of Node.js.' })
  nodeVersion: string;
  @Field(() => Float, { description: 'Seconds since the start of the process.' })
  uptimeSeconds: number;
  @Field(() => Long, { description: 'Resident memory of the process in bytes.' })
  memoryBytes: number;
  @Field(() => String, { description: 'The way out, as in DELIVERY_MODE: `mx`, `smarthost` or `capture`.' })
  deliveryMode: string;
  @Field(() => String, { description: 'The domain of the service.' })
  serviceDomain: string;
  @Field(() => Boolean, { description: 'Whether anybody may open an account.' })
  isSignUpOpen: boolean;
}

@ObjectType('AbuseLimits', { description: 'The limits of the brakes.' })
export class AbuseLimitsType {
  @Field(() => Boolean, { description: 'Whether accounts are paused by themselves.' })
  enabled: boolean;
  @Field(() => Float, { description: 'Hours that recipients are counted for.' })
  windowHours: number;
  @Field(() => Int, { description: 'Recipients from which on the rates count.' })
  minimumRecipients: number;
  @Field(() => Float, { description: 'Hard bounces in percent.' })
  bouncePercent: number;
  @Field(() => Float, { description: 'Complaints in percent.' })
  complaintPercent: number;
}

const DoctorState = stringEnum(
  'DoctorState',
  ['running', 'finished', 'interrupted'],
  'How far a run of the doctor is. An interrupted one ended with its process.',
);
const CheckStatus = stringEnum('CheckStatus', ['ok', 'warning', 'error', 'skipped'], 'The verdict of a check.');

@ObjectType('DoctorResult', { description: 'A result of a check.' })
class DoctorResultType implements Omit<CheckResult, 'facts' | 'check'> {
  @Field(() => CheckStatus, { description: 'The verdict; `skipped`: not determined.' })
  status: CheckResult['status'];
  @Field(() => String, { description: 'The address, name, file or setting that was examined.' })
  subject: string;
  @Field(() => String, { description: 'The fact and its consequence.' })
  message: string;
  @Field(() => String, { nullable: true, description: 'What to do, ready to be copied where possible.' })
  fix: string | null;
}

@ObjectType('DoctorCheck', { description: 'A check of the doctor.' })
class DoctorCheckType {
  @Field(() => ID, { description: 'Its name, as for `--only`.' })
  name: string;
  @Field(() => String, { description: 'Its heading.' })
  title: string;
  @Field(() => Boolean, { description: 'Whether it has ended.' })
  ended: boolean;
  @Field(() => [DoctorResultType], { description: 'Its results.' })
  results: DoctorResultType[];
}

@ObjectType('DoctorRun', { description: 'A run of the doctor.' })
export class DoctorRunType implements DoctorRun {
  @Field(() => ID, { description: 'The id of the run.' })
  id: string;
  @Field(() => DoctorState, { description: 'How far it is.' })
  state: DoctorRun['state'];
  @Field(() => String, { nullable: true, description: 'The domain of a customer that it examined as well.' })
  domain: string | null;
  @Field(() => DateTime, { description: 'When it was started.' })
  startedAt: Date;
  @Field(() => DateTime, { nullable: true, description: 'When it ended.' })
  finishedAt: Date | null;
  @Field(() => [DoctorCheckType], { description: 'All checks, in the order of the report.' })
  checks: (DoctorCheckType & { results: CheckResult[] })[];
}

@ObjectType('ServiceZone', { description: 'DNS records that the operator publishes.' })
export class ServiceZoneType implements ServiceZone {
  @Field(() => [String], { description: 'Addresses that mail is sent from, as far as this machine and DNS tell.' })
  addresses: string[];
  @Field(() => String, { description: 'The records of the service domain as lines of a zone file.' })
  text: string;
  @Field(() => String, { description: 'The DKIM records of domains with CNAME records, at most 1,000 lines.' })
  dkim: string;
  @Field(() => Boolean, { description: 'Whether there are more DKIM records; the command line prints all.' })
  dkimTruncated: boolean;
}
