/** The regions that the types of Resend allow. */
const RESEND_REGIONS = ['us-east-1', 'eu-west-1', 'sa-east-1', 'ap-northeast-1'] as const;
export type ResendRegion = (typeof RESEND_REGIONS)[number];

/** The region of Resend for the setting REGION: the same one, or the one that begins with the same two letters. */
export const resendRegion = (region: string): ResendRegion =>
  RESEND_REGIONS.find((known) => known === region) ??
  RESEND_REGIONS.find((known) => known.slice(0, 2) === region.slice(0, 2)) ??
  'eu-west-1';
