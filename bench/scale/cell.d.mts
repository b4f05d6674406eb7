type Kind = 'hot' | 'others';
type ByKind = Record<Kind, number>;

export interface Shape {
  postgresCores: number;
  gatewayCores: number;
  deliveryCores: number;
  relayCores: number;
  sinkCores: number;
  walBytes: number;
}

export class Cell {
  constructor(shape: Shape, options?: { accounts?: number | null });
  readonly waiting: ByKind;
  readonly queued: ByKind;
  readonly offered: ByKind;
  readonly accepted: ByKind;
  readonly delivered: ByKind;
  readonly busy: Record<'postgres' | 'gateway' | 'delivery' | 'wal', number>;
  step(arrivals: ByKind, capacity?: number): void;
}
