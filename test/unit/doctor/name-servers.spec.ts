import { beforeEach, describe, expect, it } from 'vitest';
import { useDoctorFixture } from '../../support/doctor/doctor-fixture.js';

const LATE_MS = 700;

const fixture = useDoctorFixture();

/** The next responses for the root zone are late. */
function delay(responses: number): void {
  const delays = Array<number>(responses).fill(LATE_MS);
  fixture.network.dns.set('.', { NS: ['a.root.example'], delays });
}

describe('a name server', () => {
  beforeEach(() => {
    // It queries the root zone too.
    fixture.env['DANE'] = 'off';
  });

  it('that is always late is reported', async () => {
    delay(2);
    expect(await fixture.problems('name-servers')).toMatchObject([
      { status: 'warning', message: expect.stringContaining('ms to answer') as string },
    ]);
  });

  it('that is late once is not reported', async () => {
    delay(1);
    expect(await fixture.problems('name-servers')).toEqual([]);
  });
});
