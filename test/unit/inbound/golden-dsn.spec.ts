import { readdirSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import type { InboundReport } from '#libs/mime';
import { readReport } from '../../../libs/mime/src/reports/read-report.js';
import { classifyBounce } from '../../../libs/inbound/src/classify-bounce.js';
import {
  fillPlaceholders,
  goldenReportMail,
  readGoldenReports,
  type GoldenReport,
  type SentMail,
} from '../../support/samples/golden-reports.js';
import { partOf } from '../../support/samples/golden-tables.js';

const SENT: SentMail = {
  returnPath: 'b+mfrggzdfmztwq2lknnwg23tpobyxe43uov3ho6dz@bounces.postloft.test',
  trace: 'AQIDBAUGBwgJCgsMDQ4PEBESExQVFhcYGRobHB0eHyAh',
  messageId: '<0192f0c4a1b27d3e8f00112233445566@sender.example>',
  recipient: 'ada.lovelace@rcpt.example',
};
const HARD = new Set(['invalid_recipient', 'bad_domain', 'inactive_mailbox']);

const all = readGoldenReports();
const mail = ({ name }: GoldenReport) => goldenReportMail(name, SENT);
const fill = (text: string | null) => (text === null ? null : fillPlaceholders(text, SENT).toLowerCase());

/** Kind, recipients with what happened to each, and what is shown of the mail: all that has to be right every time. */
function facts(report: InboundReport, { recipients }: GoldenReport) {
  if (report.kind !== 'delivery') return { kind: report.kind };
  return {
    kind: report.kind,
    recipients: report.recipients.map(({ action, finalRecipient, originalRecipient }, i) => {
      const address = finalRecipient?.toLowerCase() ?? null;
      const differs = (recipients.at(i)?.original ?? null) !== null;
      return { action, address, original: differs ? originalRecipient : null };
    }),
    returned: report.returned,
  };
}

function expectedFacts({ kind, recipients, returned }: GoldenReport) {
  if (kind !== 'delivery') return { kind };
  return {
    kind,
    recipients: recipients.map(({ action, address, original }) => ({
      action,
      address: fill(address),
      original: fill(original),
    })),
    returned: {
      messageId: returned.messageId ? SENT.messageId : null,
      trace: returned.trace ? SENT.trace : null,
      returnPath: returned.returnPath ? SENT.returnPath : null,
    },
  };
}

/** The class of each recipient, by the rules of the queue; null where nothing failed. */
function classes(report: InboundReport): (string | null)[] {
  if (report.kind !== 'delivery') return [];
  return report.recipients.map((one) =>
    one.action === 'failed' ? classifyBounce(one, report.reportingMta).class : null,
  );
}

/** Share of the recipients of a set whose class is right; `wrong` names the others. */
function classScore(samples: readonly GoldenReport[]) {
  const judged = samples.flatMap((sample) => {
    const found = classes(readReport(mail(sample)));
    return sample.recipients.map((expected, i) => ({ name: sample.name, expected: expected.class, found: found[i] }));
  });
  const wrong = judged.filter(({ expected, found }) => expected !== found);
  return { share: 1 - wrong.length / judged.length, wrong };
}

describe('the labelled bounces', () => {
  it('are enough, of many systems and languages, and parted by nobody’s choice', () => {
    expect(all.length).toBeGreaterThanOrEqual(150);
    expect(new Set(all.map(({ system }) => system)).size).toBeGreaterThanOrEqual(25);
    expect(new Set(all.map(({ language }) => language)).size).toBeGreaterThanOrEqual(8);
    expect(all.filter(({ name, part }) => partOf(name) !== part)).toEqual([]);
    const harmless = all.filter(({ recipients }) => recipients.every(({ action }) => action !== 'failed'));
    expect(harmless.length).toBeGreaterThanOrEqual(25);
    const files = readdirSync(new URL('../../golden/reports/dsn/', import.meta.url)).filter((file) =>
      file.endsWith('.eml'),
    );
    expect(files.sort()).toEqual(all.map(({ name }) => `${name}.eml`).sort());
  });

  it.each(all.map((sample) => [sample.name, sample] as const))('%s names what happened to whom', (_name, sample) => {
    expect(facts(readReport(mail(sample)), sample)).toEqual(expectedFacts(sample));
  });

  it('say the same with bare line feeds', () => {
    for (const sample of all) {
      const bare = Buffer.from(mail(sample).toString('latin1').replaceAll('\r\n', '\n'), 'latin1');
      expect(readReport(bare), sample.name).toEqual(readReport(mail(sample)));
    }
  });

  it.each(['known', 'held-out'] as const)('mean what people read in at least 97 of 100 of the part %s', (part) => {
    const { share, wrong } = classScore(all.filter((sample) => sample.part === part));
    expect(share, JSON.stringify(wrong, null, 1)).toBeGreaterThanOrEqual(0.97);
  });

  it('end nothing, wherever they are cut off, when nothing failed', () => {
    const harmless = all.filter(({ recipients }) => recipients.every(({ action }) => action !== 'failed'));
    for (const sample of harmless) {
      const whole = mail(sample);
      for (let cut = 0; cut < whole.length; cut += 41) {
        const report = readReport(whole.subarray(0, cut));
        const failed = report.kind === 'delivery' && report.recipients.some(({ action }) => action === 'failed');
        expect(failed, `${sample.name} at ${cut}`).toBe(false);
      }
    }
  });

  it('never end a mailbox that they do not speak of', () => {
    const { wrong } = classScore(all);
    expect(wrong.filter(({ found }) => HARD.has(found ?? ''))).toEqual([]);
  });
});
