import { beforeEach, describe, expect, it } from 'vitest';
import { useDoctorFixture } from '../../support/doctor/doctor-fixture.js';
import { HOST, SERVICE, SOURCE } from '../../support/doctor/doctor-network.js';

const fixture = useDoctorFixture();

describe('SPF without two source addresses', () => {
  beforeEach(() => {
    fixture.setSources({ address: SOURCE }, { address: '127.0.0.11' });
    fixture.network.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ip4:127.0.0.9 -all'] });
  });

  it('is reported once per name, with one record for both, and as a consequence for names that include spf.', async () => {
    const found = await fixture.problems('spf');
    expect(found.map(({ status, subject, message, fix }) => [status, subject, message, fix])).toEqual([
      [
        'error',
        `spf.${SERVICE}`,
        `Its SPF record says fail to mail from ${SOURCE}, 127.0.0.11.`,
        `spf.${SERVICE}. TXT "v=spf1 ip4:${SOURCE} ip4:127.0.0.11 ip4:127.0.0.9 -all"`,
      ],
      ...[`bounces.${SERVICE}`, SERVICE].map((name) => [
        'error',
        name,
        `Its SPF record says fail to mail from ${SOURCE}, 127.0.0.11, which follows from spf.${SERVICE}.`,
        `Mend spf.${SERVICE} first.`,
      ]),
    ]);
  });

  it('is corrected in a record that does not include spf.', async () => {
    fixture.network.dns.set(`bounces.${SERVICE}`, { TXT: ['v=spf1 mx -all'] });
    const found = await fixture.problems('spf');
    expect(found.find(({ subject }) => subject === `bounces.${SERVICE}`)).toMatchObject({
      message: `Its SPF record says fail to mail from ${SOURCE}, 127.0.0.11.`,
      fix: `bounces.${SERVICE}. TXT "v=spf1 ip4:${SOURCE} ip4:127.0.0.11 mx -all"`,
      facts: { sources: [SOURCE, '127.0.0.11'] },
    });
  });
});

describe('SPF with macros', () => {
  it('is evaluated as receivers do', async () => {
    fixture.network.dns.set(`bounces.${SERVICE}`, {
      TXT: ['v=spf1 exists:%{ir}._a.ok.example exists:%{h}.x.example -all'],
    });
    fixture.network.dns.set('10.0.0.127._a.ok.example', { A: ['127.0.0.2'] });
    expect(await fixture.problems('spf')).toEqual([]);
    fixture.network.dns.remove('10.0.0.127._a.ok.example');
    fixture.network.dns.set(`${HOST}.x.example`, { A: ['127.0.0.2'] });
    expect(await fixture.problems('spf')).toEqual([]);
  });
});
