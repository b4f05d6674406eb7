import { useRsaKeys } from './prepared-rsa-keys.js';

useRsaKeys();
