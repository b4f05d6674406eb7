import { Log } from '#libs/kernel';
import { Database } from '#libs/persistence';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { WebhookEntity } from '../../libs/webhooks/src/endpoints/webhook.entity.js';
import { dataSourceOptions } from '../../libs/persistence/src/persistence.module.js';
import { testConfig } from '../support/persistence/database.js';
import { QUERY_ENDED, TcpProxy } from '../support/proxies/tcp-proxy.js';
import { queuedEvents, WebhooksProcess } from '../support/webhooks/webhooks-harness.js';
import { WebhooksFixture } from '../support/webhooks/webhooks-fixture.js';

let stage: WebhooksFixture;
let proxy: TcpProxy;

beforeAll(async () => {
  stage = await WebhooksFixture.start();
  proxy = await TcpProxy.start(stage.db.url);
});
afterAll(async () => {
  await proxy.close();
  await stage.close();
});

it('delivers what was claimed by statements whose answers were lost, while the worker lives', async () => {
  const options = dataSourceOptions(testConfig(proxy.url), Log.quiet());
  const dataSource = await new DataSource({ ...options, entities: [WebhookEntity] }).initialize();
  const database = new Database(dataSource);
  const made = new WebhooksProcess({ ...stage.db, database, dataSource });
  try {
    const webhook = await stage.subscribe(made, '/healthy');
    await made.fanOut.handle({ events: queuedEvents(stage.accountId, 20) });
    const lost = proxy.loseAnswer({ request: /webhooks-claim/, answer: QUERY_ENDED, then: 'close' });
    await made.dispatcher.start();
    await lost;
    // Ten claims of which nobody knows: as many as one endpoint may have in flight.
    const rows = await stage.finished(webhook.id, 40_000);
    expect(rows.map(({ status, attempts }) => [status, attempts])).toEqual(rows.map(() => ['delivered', 1]));
    expect(stage.receiver.callsTo('/healthy')).toHaveLength(20);
  } finally {
    await made.stop();
    await dataSource.destroy();
  }
});
