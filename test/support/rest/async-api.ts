import { readFileSync } from 'node:fs';
import { Ajv, type ValidateFunction } from 'ajv';
import ajvFormats from 'ajv-formats';
import { parse } from 'yaml';

interface DescribedRecord {
  headers: Record<string, string>;
  value: object;
}
interface Reference {
  $ref: string;
}
interface Document {
  channels: Record<string, { address: string; messages: Record<string, Reference> }>;
  components: {
    messages: Record<string, { title: string; headers: Reference; payload: Reference }>;
    schemas: Record<string, object>;
  };
}

/** `asyncapi.yaml`, read strictly: a record may have no property that its schema does not name. */
export class AsyncApi {
  private readonly ajv = new Ajv({ strict: false, allErrors: true });
  private readonly validators = new Map<string, ValidateFunction>();

  private constructor(private readonly document: Document) {
    ajvFormats.default(this.ajv);
  }

  static strict(): AsyncApi {
    const file = new URL('../../../asyncapi.yaml', import.meta.url);
    return new AsyncApi(parse(readFileSync(file, 'utf8')) as Document);
  }

  /** The message that describes records of this type. `topic` is without the prefix. */
  message(topic: string, type: string): Document['components']['messages'][string] | undefined {
    const channel = Object.values(this.document.channels).find(({ address }) => address === `postloft.${topic}`);
    const messages = Object.keys(channel?.messages ?? {}).map((name) => this.document.components.messages[name]);
    return messages.find(({ title }) => title === type);
  }

  problems(topic: string, { headers, value }: DescribedRecord): string[] {
    const message = this.message(topic, headers['event-type']);
    if (!message) return [`${topic} has no message ${headers['event-type']}`];
    return [...this.check(message.headers, headers), ...this.check(message.payload, value)];
  }

  private check({ $ref }: Reference, value: unknown): string[] {
    const name = $ref.slice($ref.lastIndexOf('/') + 1);
    const validate = this.validators.get(name) ?? this.ajv.compile(strict(this.document.components.schemas[name]));
    this.validators.set(name, validate);
    validate(value);
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) => `${name}${instancePath} ${String(message)} ${JSON.stringify(params)}`,
    );
  }
}

/** The same schema with `additionalProperties: false` wherever it names properties. */
function strict(schema: object): object {
  if (Array.isArray(schema)) return schema.map((item: unknown) => (isObject(item) ? strict(item) : item));
  const copy = Object.fromEntries(
    Object.entries(schema).map(([key, value]: [string, unknown]) => [key, isObject(value) ? strict(value) : value]),
  );
  return 'properties' in copy && copy['type'] === 'object' ? { additionalProperties: false, ...copy } : copy;
}

const isObject = (value: unknown): value is object => typeof value === 'object' && value !== null;
