import { beforeEach, describe, expect, it } from 'vitest';
import { openDoctorRoom } from '../support/doctor-room.js';
import { HOST, SERVICE, SOURCE } from '../support/doctor-stage.js';

const room = openDoctorRoom();

describe('SPF that does not know two source addresses', () => {
  beforeEach(() => {
    room.shape({ address: SOURCE }, { address: '127.0.0.11' });
    room.stage.dns.set(`spf.${SERVICE}`, { TXT: ['v=spf1 ip4:127.0.0.9 -all'] });
  });

  it('is named once for each name, with one record that has both, and the others follow from spf.', async () => {
    const found = await room.complaints('spf');
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

  it('is mended where it stands when another record does not include spf.', async () => {
    room.stage.dns.set(`bounces.${SERVICE}`, { TXT: ['v=spf1 mx -all'] });
    const found = await room.complaints('spf');
    expect(found.find(({ subject }) => subject === `bounces.${SERVICE}`)).toMatchObject({
      message: `Its SPF record says fail to mail from ${SOURCE}, 127.0.0.11.`,
      fix: `bounces.${SERVICE}. TXT "v=spf1 ip4:${SOURCE} ip4:127.0.0.11 mx -all"`,
      facts: { sources: [SOURCE, '127.0.0.11'] },
    });
  });
});

describe('SPF with macros', () => {
  it('is evaluated as receivers do', async () => {
    room.stage.dns.set(`bounces.${SERVICE}`, { TXT: ['v=spf1 exists:%{ir}._a.ok.example exists:%{h}.x.example -all'] });
    room.stage.dns.set('10.0.0.127._a.ok.example', { A: ['127.0.0.2'] });
    expect(await room.complaints('spf')).toEqual([]);
    room.stage.dns.remove('10.0.0.127._a.ok.example');
    room.stage.dns.set(`${HOST}.x.example`, { A: ['127.0.0.2'] });
    expect(await room.complaints('spf')).toEqual([]);
  });
});
