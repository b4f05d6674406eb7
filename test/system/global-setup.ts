import { prepareDataDir } from '../support/services/prepared-data-dir.js';
import { SERVICE_HOST } from '../support/services/host-client.js';
import { ServiceHost } from '../support/services/service-host.js';

/** The services that the system tests share; each starts when the first file asks for it. */
export default async function setup(): Promise<() => Promise<void>> {
  await prepareDataDir();
  const host = await ServiceHost.start();
  process.env[SERVICE_HOST] = host.url;
  return () => host.stop();
}
