import { Field, Float, ID, Int, ObjectType } from '@nestjs/graphql';
import type { CheckResult, DoctorRun, ServiceZone } from '#libs/doctor';
import { DateTime, Long, stringEnum } from '../scalars.js';
import { PROBLEM_KINDS, type ServiceProblem } from './service-problems.js';

@ObjectType('HealthPart', { description: 'A part that the readiness of this process depends on.' })
class HealthPartType {
  @Field(() => String, { description: 'Its name, as in `/readyz`.' })
  part: string;
  @Field(() => String, { nullable: true, description: 'Why it is not ready; null if it is.' })
  reason: string | null;
  @Field(() => DateTime, { nullable: true, description: 'Since when it has not been ready; null if it is.' })
  since: Date | null;
}

const ServiceStateEnum = stringEnum(
  'ServiceState',
  ['ok', 'warning', 'critical'],
  'The state of the service. `critical`: mail is not accepted, delivered or counted, or soon will not be.',
);

const ServiceProblemKind = stringEnum(
  'ServiceProblemKind',
  PROBLEM_KINDS,
  'The subject of a problem. `delivery_blocked`: a block list has our address; `late`: mail is due and not delivered.',
);

@ObjectType('ServiceProblem', { description: 'Something that needs the attention of the operator.' })
class ServiceProblemType implements ServiceProblem {
  @Field(() => ServiceProblemKind, { description: 'Its subject.' })
  kind: ServiceProblem['kind'];
  @Field(() => ServiceStateEnum, { description: '`warning` or `critical`.' })
  severity: ServiceProblem['severity'];
  @Field(() => String, { description: 'A sentence for people.' })
  message: string;
  @Field(() => String, { nullable: true, description: 'The reply of a server that caused it.' })
  reply: string | null;
  @Field(() => DateTime, { nullable: true, description: 'Since when, if it is known.' })
  since: Date | null;
}

@ObjectType('ActivityMinute', { description: 'Activity of all accounts in a minute.' })
class ActivityMinuteType {
  @Field(() => DateTime, { description: 'The start of the minute.' })
  at: Date;
  @Field(() => Long, { description: 'Recipients accepted.' })
  accepted: number;
  @Field(() => Long, { description: 'Recipients delivered.' })
  delivered: number;
}

@ObjectType('ServiceLatency', { description: 'The time from due to delivered, in milliseconds.' })
class ServiceLatencyType {
  @Field(() => Long, { description: 'The median.' })
  p50: number;
  @Field(() => Long, { description: 'The 95th percentile.' })
  p95: number;
}

@ObjectType('ServiceActivity', { description: 'Activity of all accounts in the last hour, without test mail.' })
class ServiceActivityType {
  @Field(() => [ActivityMinuteType], { description: 'Minutes with events, oldest first.' })
  minutes: ActivityMinuteType[];
  @Field(() => ServiceLatencyType, { nullable: true, description: 'Null if nothing was delivered.' })
  latency: ServiceLatencyType | null;
}

@ObjectType('ServiceWaiting', { description: 'Recipients of all accounts that wait, by reason.' })
class ServiceWaitingType {
  @Field(() => Long, { description: 'All of them.' })
  recipients: number;
  @Field(() => Long, { description: 'Held back by throttles and block lists.' })
  held: number;
  @Field(() => Long, { description: 'Waiting for their next attempt.' })
  retry: number;
  @Field(() => Long, { description: 'Held because their account is blocked, overdue or paused.' })
  account: number;
  @Field(() => Long, { description: 'Scheduled for a later time.' })
  scheduled: number;
  @Field(() => Long, { description: 'Due, or being delivered.' })
  due: number;
}

@ObjectType('ServiceSize', { description: 'Storage used by the service, in bytes.' })
export class ServiceSizeType {
  @Field(() => Long, { description: 'The data directory, or without one of the engines in it, their data.' })
  total: number;
  @Field(() => Long, { description: 'The database without the event log and contents.' })
  database: number;
  @Field(() => Long, { description: 'The event log.' })
  eventLog: number;
  @Field(() => Long, { description: 'Contents of messages.' })
  contents: number;
  @Field(() => Long, { nullable: true, description: 'Statistics; null if their store does not answer.' })
  statistics: number | null;
  @Field(() => Long, {
    nullable: true,
    description: 'Write-ahead log and other files of the data directory; null without one of the engines in it.',
  })
  other: number | null;
  @Field(() => Long, {
    nullable: true,
    description: 'The average growth per day of the last week; null during the first hour.',
  })
  bytesPerDay: number | null;
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
  @Field(() => Float, {
    nullable: true,
    description:
      'Days until the disk is full if the growth goes on; null without growth, and if the data is elsewhere.',
  })
  daysLeft: number | null;
}

@ObjectType('ServiceHealth', { description: 'The state of the service, as the process that answers sees it.' })
export class ServiceHealthType {
  @Field(() => ServiceStateEnum, { description: 'The state of the whole.' })
  state: ServiceProblem['severity'] | 'ok';
  @Field(() => [ServiceProblemType], { description: 'What needs attention, critical problems first.' })
  problems: ServiceProblem[];
  @Field(() => ServiceActivityType, { nullable: true, description: 'The last hour; null without statistics.' })
  activity: ServiceActivityType | null;
  @Field(() => ServiceWaitingType, { description: 'What waits.' })
  waiting: ServiceWaitingType;
  @Field(() => ServiceSizeType, { nullable: true, description: 'Its size; null if it is not known.' })
  size: ServiceSizeType | null;
  @Field(() => String, { description: 'The version of Postloft.' })
  version: string;
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
  @Field(() => Boolean, { description: 'Whether there is a penalty pool.' })
  hasPenaltyPool: boolean;
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
