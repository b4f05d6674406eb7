import type { TlsResult } from '#libs/mta';
import { describe, expect, it } from 'vitest';
import { reportAddresses } from './report-addresses.js';
import { tlsReport } from './tls-report.js';

const kept: TlsResult = {
  policyDomain: 'to.example',
  policyType: 'sts',
  policyStrings: ['version: STSv1', 'mode: enforce', 'mx: *.to.example', 'max_age: 86400'],
  mxPatterns: ['*.to.example'],
  mx: 'mx1.to.example',
  ip: '192.0.2.1',
  sourceIp: '198.51.100.1',
  success: true,
  resultType: null,
  failureReason: null,
};
const expired: TlsResult = {
  ...kept,
  success: false,
  resultType: 'certificate-expired',
  failureReason: 'CERT_HAS_EXPIRED',
};
const bare: TlsResult = {
  ...kept,
  policyType: 'no-policy-found',
  policyStrings: [],
  mxPatterns: [],
  mx: 'old.to.example',
  success: false,
  resultType: 'starttls-not-supported',
  failureReason: null,
};

describe('tlsReport', () => {
  const facts = {
    domain: 'to.example',
    day: '2026-11-20',
    submitter: 'post.example',
    contact: 'postmaster@post.example',
  };
  const report = tlsReport({
    ...facts,
    results: [
      { result: kept, sessions: 40 },
      { result: expired, sessions: 2 },
      { result: bare, sessions: 3 },
    ],
  });

  it('has one entry per policy with the sums of its sessions', () => {
    expect(report.policies.map(({ policy, summary }) => [policy['policy-type'], summary])).toEqual([
      ['sts', { 'total-successful-session-count': 40, 'total-failure-session-count': 2 }],
      ['no-policy-found', { 'total-successful-session-count': 0, 'total-failure-session-count': 3 }],
    ]);
    expect(report.policies[0].policy).toMatchObject({
      'policy-string': kept.policyStrings,
      'mx-host': ['*.to.example'],
    });
    expect(report.policies[1].policy).not.toHaveProperty('mx-host');
  });

  it('lists each failure and omits unknown fields', () => {
    expect(report.policies[0]['failure-details']).toEqual([
      {
        'result-type': 'certificate-expired',
        'sending-mta-ip': '198.51.100.1',
        'receiving-mx-hostname': 'mx1.to.example',
        'receiving-ip': '192.0.2.1',
        'failed-session-count': 2,
        'failure-reason-code': 'CERT_HAS_EXPIRED',
      },
    ]);
    expect(report.policies[1]['failure-details']?.[0]).not.toHaveProperty('failure-reason-code');
  });
});

describe('reportAddresses', () => {
  it.each([
    [['v=TLSRPTv1; rua=mailto:tls@to.example'], ['mailto:tls@to.example']],
    [['v=TLSRPTv1;rua=https://to.example/tls,mailto:a@to.example;'], ['https://to.example/tls', 'mailto:a@to.example']],
    [['other=1', 'v=TLSRPTv1 ; rua=mailto:tls@to.example'], ['mailto:tls@to.example']],
    [['v=TLSRPTv1; rua=ftp://to.example/tls,tls@to.example,nonsense'], []],
    [['v=TLSRPTv1; rua=mailto:a@to.example', 'v=TLSRPTv1; rua=mailto:b@to.example'], []],
    [['v=TLSRPTv1; rua=mailto:tls%zz@to.example,mailto:a%2Bb@to.example'], ['mailto:a%2Bb@to.example']],
    [['v=TLSRPTv1; rua=mailto:a%0D%0ABcc%3Ab@to.example,mailto:%C3%A4@to.example,mailto:tls'], []],
    [['v=TLSRPTv2; rua=mailto:a@to.example'], []],
    [['v=TLSRPTv1;'], []],
    [[], []],
  ])('returns for %j: %j', (texts, addresses) => {
    expect(reportAddresses(texts).map(({ url }) => url.href)).toEqual(addresses);
  });
});
