/** The module `strongroom/replication/worker`: replication between threads of one process, over message ports. */
export type { WorkerPort } from './port.ts'
export { type WorkerTransportOptions, workerTransport } from './transport.ts'
