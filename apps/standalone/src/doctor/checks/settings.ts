import { shapingPlan } from '#libs/emails';
import { ConfigError, isPublicAddress, type Config } from '#libs/kernel';
import os from 'node:os';
import type { Check } from '../check.js';
import { error, ok, warning, type Remark } from '../finding.js';
import { LOOPBACK } from '../local-host.js';
import type { Patient } from '../patient.js';

/** What is allowed, but is mostly a mistake on a machine that serves others. */
export const settingsCheck: Check = {
  name: 'settings',
  title: 'Settings',
  asks: 'Do the settings contradict each other, or what this machine seems to be for?',
  look: (patient) => Promise.resolve(judgeSettings(patient)),
};

function judgeSettings(patient: Patient): Remark[] {
  const { config } = patient;
  const { settings } = config;
  const isPublicHost = !LOOPBACK.has(settings.HTTP_HOST);
  const remarks = [...judgeShaping(config), ...judgeName(patient), ...judgeMode(config), ...judgeHttp(config)];
  if (settings.ALLOW_PRIVATE_WEBHOOKS && (isPublicHost || hasPublicAddress()))
    remarks.push(
      warning({
        subject: 'ALLOW_PRIVATE_WEBHOOKS',
        message: 'Customers can make this service call addresses of your own network.',
        fix: 'ALLOW_PRIVATE_WEBHOOKS=false',
      }),
    );
  if (settings.ALLOW_PRIVATE_MX && settings.DELIVERY_MODE === 'mx' && hasPublicAddress())
    remarks.push(
      warning({
        subject: 'ALLOW_PRIVATE_MX',
        message: 'Anybody who controls a domain can make this service connect to addresses of your own network.',
        fix: 'ALLOW_PRIVATE_MX=false',
      }),
    );
  return remarks.length > 0 ? remarks : [ok({ subject: 'settings', message: 'Nothing in them contradicts the rest.' })];
}

/** The service does not start with it. */
function judgeShaping(config: Config): Remark[] {
  try {
    shapingPlan(config);
    return [];
  } catch (problem) {
    if (!(problem instanceof ConfigError)) throw problem;
    const told = { subject: 'SHAPING_FILE', message: `The service does not start: ${problem.message}` };
    return [error({ ...told, fix: 'Correct the file (docs/delivery.md), or take SHAPING_FILE out of the settings.' })];
  }
}

function judgeName({ config, hasDefaultName, isUnnamed, service }: Patient): Remark[] {
  if (!hasDefaultName) return [];
  const message = `The service still has its default name ${service}, which cannot exist in DNS`;
  const told = {
    subject: 'SERVICE_DOMAIN',
    message: isUnnamed ? `${message}, so nothing that stands in DNS is looked at.` : `${message} of the internet.`,
    fix: 'SERVICE_DOMAIN=<a name of yours, for example post.example.com>',
  };
  // Envelope senders below a name that does not exist are refused by most servers, and nothing comes back to them.
  return [config.settings.DELIVERY_MODE === 'capture' ? warning(told) : error(told)];
}

function judgeMode({ settings }: Config): Remark[] {
  const { DELIVERY_MODE, MX_PORT, SERVICE_DOMAIN, DKIM_SIGNING } = settings;
  const isNamed = !SERVICE_DOMAIN.endsWith('.test');
  const remarks: Remark[] = [];
  if (DELIVERY_MODE === 'capture' && (isNamed || !LOOPBACK.has(settings.HTTP_HOST)))
    remarks.push(
      warning({
        subject: 'DELIVERY_MODE',
        message: 'Mail is accepted and kept in the capture inbox; nothing leaves this machine.',
        fix: 'DELIVERY_MODE=mx (or smarthost, with SMARTHOST_URL)',
      }),
    );
  if (DELIVERY_MODE === 'mx' && MX_PORT !== 25)
    remarks.push(
      warning({
        subject: 'MX_PORT',
        message: `Mail servers of others listen on port 25, not on ${MX_PORT}.`,
        fix: 'MX_PORT=25',
      }),
    );
  if (DELIVERY_MODE === 'mx' && !DKIM_SIGNING)
    remarks.push(
      error({
        subject: 'DKIM_SIGNING',
        message: 'Mail goes out unsigned. Large providers refuse much of it and DMARC rests on SPF alone.',
        fix: 'DKIM_SIGNING=on',
      }),
    );
  return remarks;
}

function judgeHttp({ settings }: Config): Remark[] {
  const { HTTP_HOST, HTTP_TLS_CERT, TRUST_PROXY, PUBLIC_URL } = settings;
  const remarks: Remark[] = [];
  if (!LOOPBACK.has(HTTP_HOST) && HTTP_TLS_CERT === undefined && TRUST_PROXY === 'off')
    remarks.push(
      warning({
        subject: 'HTTP_HOST',
        message: `The API listens on ${HTTP_HOST} without TLS and expects no proxy: API keys cross the network in the clear.`,
        fix: 'HTTP_HOST=127.0.0.1 behind a proxy that ends TLS, with TRUST_PROXY=<its address>,\nor HTTP_TLS_CERT=<file> and HTTP_TLS_KEY=<file>',
      }),
    );
  if (TRUST_PROXY === 'on' && !LOOPBACK.has(HTTP_HOST))
    remarks.push(
      warning({
        subject: 'TRUST_PROXY',
        message:
          'X-Forwarded-For is believed from everybody, so anybody can choose the address that keys and limits see.',
        fix: 'TRUST_PROXY=<addresses or networks of your proxies>',
      }),
    );
  if (!LOOPBACK.has(HTTP_HOST) && !PUBLIC_URL.startsWith('https://'))
    remarks.push(
      warning({
        subject: 'PUBLIC_URL',
        message: `Links in mail (unsubscribing in one click, RFC 8058) must be https; ${PUBLIC_URL} is not.`,
        fix: 'PUBLIC_URL=https://<the name under which the API is reached>',
      }),
    );
  return remarks;
}

const hasPublicAddress = (): boolean =>
  Object.values(os.networkInterfaces()).some((entries) => entries?.some(({ address }) => isPublicAddress(address)));
