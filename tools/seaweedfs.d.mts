export const SEAWEEDFS: string;
export function buildSeaweedfs(): Promise<void>;
