import type { Plugin } from 'rolldown';

export const objectSpread: Plugin;
