export class KafkaUnavailable extends Error {}

export interface RunningKafka {
  /** `127.0.0.1:port`, the value of `KAFKA_BROKERS`. */
  brokers: string;
  dir: string;
  stop(): Promise<void>;
  restart(options?: { hard?: boolean }): Promise<void>;
  freeze(): void;
  thaw(): void;
  ended(): Promise<unknown>;
}

/** Why Kafka cannot run on this machine, or null. */
export function kafkaMissing(): string | null;
/** Returns the class path of the downloaded jars. */
export function fetchKafka(): Promise<string>;
export function startKafka(options?: { dir?: string; port?: number }): Promise<RunningKafka>;
