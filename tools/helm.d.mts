export const HELM: string;
export const KUBECTL_VALIDATE: string;
export function buildHelm(): Promise<void>;
