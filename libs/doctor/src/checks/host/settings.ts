import { ConfigError, isPublicAddress, type Config } from '#libs/kernel';
import { throttlingPlan } from '#libs/queue';
import os from 'node:os';
import { LOOPBACK } from '../../addresses.js';
import { error, ok, warning, type Check, type Result } from '../../check.js';
import type { CheckContext } from '../../context.js';

/** Valid settings that are mostly mistakes on a machine that others use. */
export const settingsCheck: Check = {
  name: 'settings',
  title: 'Settings',
  run: (context) => Promise.resolve(checkSettings(context)),
};

function checkSettings(context: CheckContext): Result[] {
  const { config } = context;
  const results = [
    ...checkShapingFile(config),
    ...checkServiceDomain(context),
    ...checkDeliveryMode(config),
    ...checkHttp(config),
    ...checkPrivateAddresses(config),
  ];
  return results.length > 0 ? results : [ok({ subject: 'settings', message: 'They do not contradict each other.' })];
}

function checkShapingFile(config: Config): Result[] {
  try {
    throttlingPlan(config);
    return [];
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    return [
      error({
        subject: 'SHAPING_FILE',
        message: `The service does not start: ${problem.message}`,
        fix: 'Correct the file (docs/delivery.md), or take SHAPING_FILE out of the settings.',
      }),
    ];
  }
}

function checkServiceDomain({ config, hasDefaultDomain, skipsServiceDns, serviceDomain }: CheckContext): Result[] {
  if (!hasDefaultDomain) return [];
  const message = `The service still has its default name ${serviceDomain}, which cannot exist in DNS`;
  const details = {
    subject: 'SERVICE_DOMAIN',
    message: skipsServiceDns ? `${message}, so no record of it is checked.` : `${message} of the internet.`,
    fix: 'SERVICE_DOMAIN=<a name of yours, for example post.example.com>',
  };
  // Most servers refuse envelope senders below a name that does not exist, and no bounce can be delivered to them.
  return [config.settings.DELIVERY_MODE === 'capture' ? warning(details) : error(details)];
}

function checkDeliveryMode({ settings }: Config): Result[] {
  const { DELIVERY_MODE, MX_PORT, SERVICE_DOMAIN, DKIM_SIGNING } = settings;
  const hasRealDomain = !SERVICE_DOMAIN.endsWith('.test');
  const results: Result[] = [];
  if (DELIVERY_MODE === 'capture' && (hasRealDomain || !LOOPBACK.has(settings.HTTP_HOST)))
    results.push(
      warning({
        subject: 'DELIVERY_MODE',
        message: 'Emails are accepted and captured; nothing leaves this machine.',
        fix: 'DELIVERY_MODE=mx (or smarthost, with SMARTHOST_URL)',
      }),
    );
  if (DELIVERY_MODE === 'mx' && MX_PORT !== 25)
    results.push(
      warning({
        subject: 'MX_PORT',
        message: `Mail servers on the internet listen on port 25, not on ${MX_PORT}.`,
        fix: 'MX_PORT=25',
      }),
    );
  if (DELIVERY_MODE === 'mx' && !DKIM_SIGNING)
    results.push(
      error({
        subject: 'DKIM_SIGNING',
        message: 'Mail is sent unsigned. Large providers refuse much of it, and DMARC relies on SPF alone.',
        fix: 'DKIM_SIGNING=on',
      }),
    );
  return results;
}

function checkHttp({ settings }: Config): Result[] {
  const { HTTP_HOST, HTTP_TLS_CERT, TRUST_PROXY, PUBLIC_URL } = settings;
  if (LOOPBACK.has(HTTP_HOST)) return [];
  const results: Result[] = [];
  if (HTTP_TLS_CERT === undefined && TRUST_PROXY === 'off')
    results.push(
      warning({
        subject: 'HTTP_HOST',
        message: `The API listens on ${HTTP_HOST} without TLS and expects no proxy: API keys cross the network in the clear.`,
        fix: 'HTTP_HOST=127.0.0.1 behind a proxy that terminates TLS, with TRUST_PROXY=<its address>,\nor HTTP_TLS_CERT=<file> and HTTP_TLS_KEY=<file>',
      }),
    );
  if (TRUST_PROXY === 'on')
    results.push(
      warning({
        subject: 'TRUST_PROXY',
        message:
          'X-Forwarded-For is believed from everybody, so every client can choose the address that keys and limits see.',
        fix: 'TRUST_PROXY=<addresses or networks of your proxies>',
      }),
    );
  if (!PUBLIC_URL.startsWith('https://'))
    results.push(
      warning({
        subject: 'PUBLIC_URL',
        message: `Links in mail (one-click unsubscribe, RFC 8058) must be https; ${PUBLIC_URL} is not.`,
        fix: 'PUBLIC_URL=https://<the name under which the API is reached>',
      }),
    );
  return results;
}

function checkPrivateAddresses({ settings }: Config): Result[] {
  const results: Result[] = [];
  if (settings.ALLOW_PRIVATE_WEBHOOKS && (!LOOPBACK.has(settings.HTTP_HOST) || hasPublicAddress()))
    results.push(
      warning({
        subject: 'ALLOW_PRIVATE_WEBHOOKS',
        message: 'Customers can make this service call addresses of your own network.',
        fix: 'ALLOW_PRIVATE_WEBHOOKS=false',
      }),
    );
  if (settings.ALLOW_PRIVATE_MX && settings.DELIVERY_MODE === 'mx' && hasPublicAddress())
    results.push(
      warning({
        subject: 'ALLOW_PRIVATE_MX',
        message: 'Everybody who controls a domain can make this service connect to addresses of your own network.',
        fix: 'ALLOW_PRIVATE_MX=false',
      }),
    );
  return results;
}

const hasPublicAddress = (): boolean =>
  Object.values(os.networkInterfaces()).some((entries) => entries?.some(({ address }) => isPublicAddress(address)));
