export const NODE_VERSIONS: { version: string; bin: string }[];
export function fetchNodeVersions(): Promise<void>;
