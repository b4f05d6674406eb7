export const PEBBLE: { authority: string; dns: string };
export function buildPebble(): Promise<void>;
