/**
 * `strongroom/replication/worker`: clusters in threads of one process reach each other over message ports.
 */
export type { WorkerPort } from './port.ts'
export { type WorkerTransportOptions, workerTransport } from './transport.ts'
