import type { TlsResult } from '#libs/mta';

/** A kind of session and the number of such sessions. */
export interface CountedResult {
  result: TlsResult;
  sessions: number;
}

export interface ReportInput {
  /** The domain that the messages were sent to. */
  domain: string;
  /** `2026-11-20`, UTC. */
  day: string;
  /** SERVICE_DOMAIN. */
  submitter: string;
  contact: string;
  results: readonly CountedResult[];
}

/** The JSON report of RFC 8460 §4.4. */
export interface TlsReport {
  'organization-name': string;
  'date-range': { 'start-datetime': string; 'end-datetime': string };
  'contact-info': string;
  'report-id': string;
  policies: PolicyReport[];
}

interface PolicyReport {
  policy: {
    'policy-type': TlsResult['policyType'];
    'policy-string': readonly string[];
    'policy-domain': string;
    'mx-host'?: readonly string[];
  };
  summary: { 'total-successful-session-count': number; 'total-failure-session-count': number };
  'failure-details'?: FailureDetail[];
}

interface FailureDetail {
  'result-type': string;
  'sending-mta-ip'?: string;
  'receiving-mx-hostname'?: string;
  'receiving-ip'?: string;
  'failed-session-count': number;
  'failure-reason-code'?: string;
}

/** Builds a report with one entry per policy, each with its counts and its failures. */
export function tlsReport({ domain, day, submitter, contact, results }: ReportInput): TlsReport {
  const byPolicy = new Map<string, CountedResult[]>();
  for (const counted of results) {
    const { policyType, policyStrings, mxPatterns } = counted.result;
    const key = JSON.stringify([policyType, policyStrings, mxPatterns]);
    byPolicy.set(key, [...(byPolicy.get(key) ?? []), counted]);
  }
  return {
    'organization-name': submitter,
    'date-range': { 'start-datetime': `${day}T00:00:00Z`, 'end-datetime': `${day}T23:59:59Z` },
    'contact-info': contact,
    'report-id': reportId(day, domain, submitter),
    policies: [...byPolicy.values()].map((counted) => policyReport(domain, counted)),
  };
}

/** RFC 8460 §5.3 requires a unique id; there is one report per day and domain. */
export function reportId(day: string, domain: string, submitter: string): string {
  return `${day}_${domain}@${submitter}`;
}

function policyReport(domain: string, counted: CountedResult[]): PolicyReport {
  const { policyType, policyStrings, mxPatterns } = counted[0].result;
  const failures = counted.filter(({ result }) => result.resultType !== null);
  const policy = {
    'policy-type': policyType,
    'policy-string': policyStrings,
    'policy-domain': domain,
    ...(mxPatterns.length > 0 ? { 'mx-host': mxPatterns } : {}),
  };
  const summary = {
    'total-successful-session-count': sum(counted) - sum(failures),
    'total-failure-session-count': sum(failures),
  };
  return { policy, summary, ...(failures.length > 0 ? { 'failure-details': failures.map(failureDetail) } : {}) };
}

function failureDetail({ result, sessions }: CountedResult): FailureDetail {
  return {
    'result-type': result.resultType ?? 'validation-failure',
    ...(result.sourceIp === null ? {} : { 'sending-mta-ip': result.sourceIp }),
    ...(result.mx === null ? {} : { 'receiving-mx-hostname': result.mx }),
    ...(result.ip === null ? {} : { 'receiving-ip': result.ip }),
    'failed-session-count': sessions,
    ...(result.failureReason === null ? {} : { 'failure-reason-code': result.failureReason }),
  };
}

const sum = (counted: readonly CountedResult[]): number => counted.reduce((total, { sessions }) => total + sessions, 0);
