export { BusModule } from './bus.module.js';
export { EventLog, type ConsumeOptions, type EventBatch } from './event-log.js';
export { logBacklog, type LogBacklog } from './log-backlog.js';
export { LogCarriage } from './log-carriage.js';
export { AccountHistory, type HistoryFilter } from './postgres/account-history.js';
export { KeyHistory } from './postgres/key-history.js';
export { LiveLog } from './postgres/live-log.js';
export { Sequencer } from './postgres/sequencer.js';
