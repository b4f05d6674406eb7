export function accountVolumes(accounts: number, emails: number, exponent?: number): number[];
export function placeByDirectory(volumes: readonly number[], cells: number): number[];
export function placeByHash(volumes: readonly number[], cells: number, seed?: number): number[];
export function imbalance(loads: readonly number[]): number;
