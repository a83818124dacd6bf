/**
 * `strongroom/replication/tcp`: clusters reach each other over TCP.
 */
export type { TcpTransportOptions } from './options.ts'
export { tcpTransport } from './transport.ts'
