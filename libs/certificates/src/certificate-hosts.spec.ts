import { loadConfig } from '#libs/kernel';
import { expect, it } from 'vitest';
import { certificateHosts } from './certificate-hosts.js';

const ACME = {
  ACME_TERMS_AGREED: 'true',
  SERVICE_DOMAIN: 'mail.example.org',
  PUBLIC_URL: 'https://API.example.org',
  PUBLIC_SMTP_HOST: 'relay.example.org',
};
const hostsOf = (env: Record<string, string>) =>
  certificateHosts(loadConfig('standalone', env), ['track.shop.example.org', 'track.news.example.org']);

it('names the hosts of the listeners that have no files', () => {
  const smtp = ['smtp.mail.example.org', 'relay.example.org'];
  const tracking = ['track.shop.example.org', 'track.news.example.org'];
  const files = { HTTP_TLS_CERT: 'a.pem', HTTP_TLS_KEY: 'a.key' };
  expect(hostsOf({ ...ACME, ACME_TERMS_AGREED: 'false' })).toEqual([]);
  expect(hostsOf(ACME)).toEqual(smtp);
  expect(hostsOf({ ...ACME, HTTPS_PORT: '8443' })).toEqual([...tracking, 'api.example.org', ...smtp]);
  expect(hostsOf({ ...ACME, HTTPS_PORT: '8443', ...files })).toEqual([...tracking, ...smtp]);
  expect(hostsOf({ ...ACME, SMTP_TLS_CERT: 'a.pem', SMTP_TLS_KEY: 'a.key' })).toEqual([]);
});

it('leaves out what no public authority certifies', () => {
  expect(hostsOf({ ACME_TERMS_AGREED: 'true', HTTPS_PORT: '8443', PUBLIC_URL: 'https://192.0.2.7' })).toEqual([
    'track.shop.example.org',
    'track.news.example.org',
  ]);
  // A private authority may.
  expect(hostsOf({ ACME_TERMS_AGREED: 'true', ACME_DIRECTORY_URL: 'https://ca.example.org/dir' })).toEqual([
    'smtp.postloft.test',
  ]);
});
