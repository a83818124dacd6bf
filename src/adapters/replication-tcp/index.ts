/** The module `strongroom/replication/tcp`: replication over TCP. */
export type { TcpTransportOptions } from './options.ts'
export { tcpTransport } from './transport.ts'
