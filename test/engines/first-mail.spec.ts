import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { afterAll, describe, expect, it } from 'vitest';
import { startDistributed, type DistributedService } from '../support/services/distributed.js';
import { firstMailSuite } from '../system/lifecycle/first-mail.suite.js';
import { until } from '../support/timing/until.js';

const brokers = process.env['KAFKA_TEST_BROKERS'];
const run = promisify(execFile);

describe.skipIf(!brokers)('the first mail, in five processes on PostgreSQL, Kafka and ClickHouse', () => {
  let service: DistributedService | undefined;
  afterAll(async () => {
    await service?.stop();
    service?.clean();
  });

  firstMailSuite(
    async () => (service = await startDistributed(brokers as string)),
    async (delivered, id) => {
      // An independent consumer sees the same event, under the same id as the webhook.
      const record = await until(
        async () =>
          (await readTopic(brokers as string, `${service?.topicPrefix}email.events.v1`)).find(
            (candidate) => candidate.value.type === 'email.delivered',
          ),
        { what: 'the record' },
      );
      expect(record.key).toBe(id);
      expect(record.value.id).toBe(delivered.headers['webhook-id']);
      expect(record.value).toEqual({
        id: record.value.id,
        account_id: expect.stringMatching(/^acc_/),
        ...(JSON.parse(delivered.body) as object),
        domain_id: expect.stringMatching(/^dom_/),
        api_key_id: expect.stringMatching(/^key_/),
        sequence: expect.any(Number),
        position: expect.any(Number),
        schema_version: 1,
        mode: expect.stringMatching(/^(live|test)$/),
      });
      expect(record.headers).toEqual({ 'event-id': record.value.id, 'event-type': 'email.delivered' });
    },
  );
});

it.runIf(process.env['POSTLOFT_REQUIRE_ENGINES'] === '1')('has a Kafka broker to run on', () =>
  expect(brokers).toBeTruthy(),
);

interface TopicRecord {
  key: string;
  value: { id: string; type: string; account_id: string };
  headers: Record<string, string>;
}

/** Everything in a topic, read by kcat. */
async function readTopic(broker: string, topic: string): Promise<TopicRecord[]> {
  const { stdout } = await run('kcat', ['-C', '-b', broker, '-t', topic, '-e', '-q', '-J'], {
    maxBuffer: 64 * 1024 * 1024,
  });
  return stdout
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as { key: string; payload: string; headers: string[] })
    .map(({ key, payload, headers }) => ({
      key,
      value: JSON.parse(payload) as TopicRecord['value'],
      headers: Object.fromEntries(headers.flatMap((name, i) => (i % 2 === 0 ? [[name, headers[i + 1]]] : []))),
    }));
}
