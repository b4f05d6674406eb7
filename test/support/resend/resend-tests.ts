import { gatewayTest } from '../fixtures/gateway-tests.js';
import { resendClient } from './resend-client.js';

/** Tests with a client of Resend for an account of their own. */
export const resendTest = gatewayTest.extend('resend', ({ gateway, own }) => resendClient(gateway.url, own.key));
