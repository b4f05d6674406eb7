import { bareUuid, resendRegion, type EventData, type ServiceEvent } from '#libs/contracts';

/**
 * The `data` of an event in Resend's format: ids as bare UUIDs, its names of states, no null where its types have none.
 * `region` is the setting. Additional native fields are kept, and `data` of an unknown type is passed unchanged.
 */
export function resendData({ type, data }: ServiceEvent, region: string): object {
  if (typeof data !== 'object' || data === null) return data;
  if (type.startsWith('email.'))
    return emailData(data as EventData['email.queued'] & Partial<EventData['email.clicked']>);
  if (type.startsWith('domain.')) return domainData(data as EventData['domain.updated'], region);
  if (type.startsWith('suppression.')) return suppressionData(data as EventData['suppression.added']);
  return withUuids(data, ['webhook_id']);
}

function emailData({ click, ...data }: EventData['email.queued'] & Partial<EventData['email.clicked']>): object {
  return {
    ...withUuids(data, ['id', 'email_id']),
    ...(click ? { click: { ...click, ipAddress: click.ipAddress ?? '', userAgent: click.userAgent ?? '' } } : {}),
  };
}

function domainData(data: EventData['domain.updated'], region: string): object {
  return {
    ...withUuids(data, ['id']),
    status: data.status === 'active' ? 'verified' : data.status,
    region: resendRegion(region),
    records: data.records?.map((record) => ({ ...record, ttl: 'Auto' })),
  };
}

function suppressionData(data: EventData['suppression.added']): object {
  return {
    ...withUuids(data, ['id', 'source_id', 'domain_id']),
    origin: data.origin === 'unsubscribe' ? 'manual' : data.origin,
  };
}

function withUuids(data: object, fields: readonly string[]): object {
  const uuids = Object.entries(data).flatMap(([field, value]: [string, unknown]) =>
    fields.includes(field) && typeof value === 'string' ? [[field, bareUuid(value)]] : [],
  );
  return { ...data, ...Object.fromEntries(uuids) };
}
