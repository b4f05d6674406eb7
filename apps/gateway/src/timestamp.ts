export { parseTimestamp } from '#libs/contracts';
