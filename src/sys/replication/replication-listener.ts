/** Listens for messages of other clusters on behalf of both kinds of replication. */

import { EMPTY } from '../../core/base/bytes.ts'
import { NoAnswer } from '../../core/base/deadline.ts'
import type { ReplicationTransport, TransportListener } from '../../core/contract/replication-transport.ts'
import type { KernelInternals } from '../../core/kernel/assemble.ts'
import { isUnknownSession } from './channel/message.ts'
import type { ClusterNodes } from './cluster-nodes.ts'

export interface ListenerParts {
  readonly internals: KernelInternals
  readonly transport: ReplicationTransport
  readonly nodes: ClusterNodes
  /** The address that the kernel's options specify. */
  readonly configuredAddress: string | undefined
}

interface OpenListeners {
  readonly own: TransportListener
  /** The listener at the address that all kernels of the cluster share. */
  readonly common: TransportListener | undefined
}

/** A server that answers messages. */
export interface MessageServer {
  /** Returns an empty answer if the message is not for this server. */
  handle(message: Uint8Array, fromMember?: () => void): Promise<Uint8Array>
}

/** Listens at addresses that the servers of both kinds of replication share. A message is processed by the server that can decrypt it. */
export class ReplicationListener {
  readonly #parts: ListenerParts
  readonly #servers = new Set<MessageServer>()
  #listeners: OpenListeners | undefined
  #opening: Promise<void> | undefined
  #error: string | undefined

  constructor(parts: ListenerParts) {
    this.#parts = parts
  }

  get nodes(): ClusterNodes {
    return this.#parts.nodes
  }

  /**
   * The address under which other clusters reach this cluster. While the kernel is not listening, this is the configured address, or empty.
   */
  get address(): string {
    const { own, common } = this.#listeners ?? {}
    return (common ?? own)?.address ?? this.#parts.configuredAddress ?? ''
  }

  /** The reason why this kernel could not start to listen; undefined after a success. */
  get error(): string | undefined {
    return this.#error
  }

  /** Starts listening, if necessary, and passes messages to the server until `close`. */
  open(server: MessageServer): Promise<void> {
    this.#servers.add(server)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Passes no more messages to the server. Stops listening if this was the last server. */
  async close(server: MessageServer): Promise<void> {
    this.#servers.delete(server)
    if (this.#servers.size > 0) return
    const places = this.#listeners
    this.#listeners = undefined
    await Promise.all([places?.own.close(), places?.common?.close(), this.nodes.withdraw()])
  }

  async #handle(message: Uint8Array, fromMember?: () => void): Promise<Uint8Array> {
    let answer: Uint8Array = EMPTY
    for (const server of this.#servers) {
      const found = await server.handle(message, fromMember)
      if (found.length > 0 && !isUnknownSession(found)) return found
      if (found.length > 0) answer = found
    }
    return answer
  }

  async #open(): Promise<void> {
    const { nodes } = this.#parts
    try {
      if (!this.#listeners) {
        this.#listeners = await this.#begin()
        await nodes.removeExpired()
      }
      this.#error = undefined
      await nodes.announce(this.#listeners.own.address)
    } catch (error) {
      this.#error = `this kernel cannot listen: ${error instanceof Error ? error.message : 'unknown error'}`
    }
  }

  /**
   * Each kernel needs an address of its own, because a session exists in only one kernel. If the transport accepts any name as an address,
   * each kernel also listens at the cluster id, and any kernel can answer the first message to that address.
   */
  async #begin(): Promise<OpenListeners> {
    const { internals, transport, configuredAddress } = this.#parts
    const handle = (message: Uint8Array, fromMember?: () => void) => this.#handle(message, fromMember)
    const { cluster, claims } = internals
    if (configuredAddress !== undefined || !cluster)
      return { own: await transport.listen(configuredAddress ?? '', handle), common: undefined }
    const common = await transport.listen(cluster.id, handle).catch((error: unknown) => {
      // After a timeout, do not try the second address: it would probably time out as well.
      if (error instanceof NoAnswer) throw error
      return undefined
    })
    try {
      return { own: await transport.listen(common ? `${cluster.id}/${claims.owner}` : '', handle), common }
    } catch (error) {
      await common?.close()
      throw error
    }
  }
}
