export { BusModule } from './bus.module.js';
export { EventLog, type EventBatch } from './event-log.js';
export { logBacklog } from './log-lag.js';
export { OutboxRelay } from './outbox-relay.js';
export { AccountHistory } from './postgres/account-history.js';
export { KeyHistory } from './postgres/key-history.js';
export { LiveLog, type PositionRange } from './postgres/live-log.js';
export { TableRelay, type RelayedTable, type TableRecord } from './relayed-table.js';
export { Sequencer } from './postgres/sequencer.js';
