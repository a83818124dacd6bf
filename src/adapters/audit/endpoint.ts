import type { ClientTls } from './client-tls.ts'

/** The address of a server that receives a stream. */
export type StreamEndpoint =
  | { readonly transport: 'tcp'; readonly host: string; readonly port: number }
  | { readonly transport: 'tls'; readonly host: string; readonly port: number; readonly tls: ClientTls }
  | { readonly transport: 'unix'; readonly path: string }

/** The address of a server that receives datagrams. */
export interface DatagramEndpoint {
  readonly transport: 'udp'
  readonly host: string
  readonly port: number
}

export type Endpoint = StreamEndpoint | DatagramEndpoint

/** Delivers bytes to an endpoint. It connects when it is first needed, and again after a connection was lost. */
export interface Transport {
  /** Resolves when connected. */
  open(signal: AbortSignal): Promise<void>
  /** Resolves when the operating system has taken all bytes. */
  send(bytes: Buffer, signal: AbortSignal): Promise<void>
  close(): void
}
