import 'reflect-metadata';
import { describe, expect, it } from 'vitest';
import { productSources } from '../../support/persistence/sql-statements.js';
import { MAIL_PARSERS } from './mail-parsers.js';
import { PROTOCOL_PARSERS } from './protocol-parsers.js';
import { REQUEST_PARSERS, YIELDING_PARSERS } from './request-parsers.js';

const TABLES = [MAIL_PARSERS, PROTOCOL_PARSERS, REQUEST_PARSERS, YIELDING_PARSERS];

/** Functions that read text from outside begin or end with one of these words. */
const READS =
  /^(?:parse|read|decode|split|fold|normalise|classify|judge|expand|scan|check|rewrite|matches|redacted)[A-Z]|(?:Rules?|Problems?)$/;
const EXPORT = /^export (?:async )?(?:function\*?|const) (\w+)/gm;

/** Exports with such a name that are given no text from outside, or a text of which another parser has read the whole. */
const DATA_FILE = 'Reads a data file of the program or of the operator.';
const READ_IN_PARTS = 'Passes the text on to functions of the table.';
const NOT_PARSERS: Readonly<Record<string, string>> = {
  'apps/dashboard/src/pages/messages/checks.ts checkMessage': 'Runs in the browser, on fields that are already read.',
  'apps/dashboard/src/components/rates.ts judgeRate': 'Compares numbers.',
  'apps/dashboard/src/pages/suppressions/import-file.ts readImportFile':
    'Reads a file of the reader in the browser; its own spec gives it long ones.',
  'libs/tracking/src/scan-html.ts scanHtml': READ_IN_PARTS,
  'libs/kernel/src/config/certificate-problems.ts findCertificateProblems': 'Reads files of the operator.',
  'apps/gateway/src/http/body/read-bytes.ts readBytes': 'Collects octets.',
  'apps/gateway/src/http/body/request-body.ts readBodies': 'Registers the parsers of bodies.',
  'apps/gateway/src/rest/emails/parse-batch.ts parseBatch': READ_IN_PARTS,
  'apps/gateway/src/rest/validation/field-rule.decorator.ts FieldRule': 'A decorator.',
  'apps/gateway/src/rest/validation/field-rule.decorator.ts fieldRules': 'Reads the declarations of a class.',
  'apps/smtp/src/server/read-message.ts readMessage': 'Collects octets.',
  'apps/smtp/src/server/smtp-server-internals.ts readDataFast': READ_IN_PARTS,
  'apps/smtp/src/server/smtp-server-internals.ts readLinesFast': READ_IN_PARTS,
  'apps/smtp/src/submission/submitted-message.ts readHeaderMailboxes': READ_IN_PARTS,
  'libs/domains/src/verification/key-record.ts judgeKeyRecord': READ_IN_PARTS,
  'libs/emails/src/intake/check-content.ts checkContent': READ_IN_PARTS,
  'libs/emails/src/intake/rules/conflict-rules.ts conflictProblems': 'Compares which fields are given.',
  'libs/emails/src/message/stored-parts.ts decodeParts': 'Reads what `encodeParts` wrote.',
  'libs/kernel/src/config/tls-files.ts keyProblem': 'Reads files of the operator.',
  'libs/kernel/src/config/tls-files.ts readTlsFiles': 'Reads files of the operator.',
  'libs/mime/src/reports/phrases.ts readPhrases': DATA_FILE,
  'libs/mime/src/reports/read-report.ts readReportInSteps': 'The steps of `readReport`.',
  'libs/mta/src/json-reader.ts readDataFile': DATA_FILE,
  'libs/mta/src/json-reader.ts readJsonFile': DATA_FILE,
  'libs/mta/src/replies/reply-phrases.ts readReplyPhrases': DATA_FILE,
  'libs/mta/src/replies/reply-rules.ts readReplyRules': DATA_FILE,
  'libs/mta/src/replies/retry-hint.ts readRetryPhrases': DATA_FILE,
  'libs/mta/src/throttling/plan/read-automation.ts matchesNothing': DATA_FILE,
  'libs/mta/src/throttling/plan/read-automation.ts readAutomation': DATA_FILE,
  'libs/mta/src/throttling/plan/read-sources.ts readPoolRule': DATA_FILE,
  'libs/mta/src/throttling/plan/read-sources.ts readPools': DATA_FILE,
  'libs/mta/src/throttling/plan/read-sources.ts readWarmUp': DATA_FILE,
  'libs/mta/src/throttling/plan/read-throttling-plan.ts readThrottlingPlan': DATA_FILE,
  'libs/mta/src/tls/tls-session.ts readTlsSession': 'Reads members of a socket.',
  'libs/certificates/src/acme-authority.ts readProblem': 'Reads a parsed answer of the certificate authority.',
  'libs/backup/src/manifest.ts readFile': 'Reads a file of a backup.',
  'libs/backup/src/manifest.ts readManifest': 'Reads a file of a backup.',
  'libs/storage/src/place.ts parsePlace': 'Parses a setting or an argument of the operator.',
  'libs/persistence/src/migrate.ts schemaProblem': 'Compares names of migrations.',
  'apps/gateway/src/graphql/operator/service-problems.ts serviceProblems': 'Compares values.',
  'libs/persistence/src/program/server-requirements.ts readServer': 'Reads a row.',
  'libs/persistence/src/program/server-requirements.ts serverProblem': 'Compares values of a server.',
  'libs/stats/src/queries/service-activity.ts readBytes': 'Reads rows.',
  'libs/stats/src/queries/service-activity.ts readServiceActivity': 'Reads rows.',
  'libs/persistence/src/program/master-key-check.ts masterKeyProblem': 'Compares keys.',
  'libs/persistence/src/program/master-key.ts readMasterKeys': 'Reads a file of the operator.',
  'libs/stats/src/integrity/day-totals.ts readRollupTotals': 'Reads rows.',
  'libs/stats/src/integrity/day-totals.ts readTotals': 'Reads rows.',
  'libs/stats/src/integrity/parts.ts readParts': 'Reads rows.',
  'libs/suppressions/src/entries/read.ts readSuppressions': 'Reads rows.',
  'libs/webhooks/src/endpoints/fields.ts checkWebhookFields': READ_IN_PARTS,
};

describe('the tables of parsers', () => {
  const found = productSources().flatMap(({ file, text }) =>
    [...text.matchAll(EXPORT)].map(([, name]) => [file, name]).filter(([, name]) => READS.test(name)),
  );

  it('have every function that reads text, by its name', () => {
    const missing = found
      .filter(([file, name]) => !TABLES.some((table) => Object.hasOwn(table[file] ?? {}, name)))
      .map((one) => one.join(' '));
    expect(missing.toSorted()).toEqual(Object.keys(NOT_PARSERS).toSorted());
  });
});
