/** The addresses at which a kernel answers other clusters. */

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
  /** The address in the options. */
  readonly configuredAddress: string | undefined
}

interface OpenListeners {
  readonly own: TransportListener
  /** The address that all kernels of the cluster share. */
  readonly common: TransportListener | undefined
}

/** A server that answers messages. */
export interface MessageServer {
  /** Returns an empty answer if the message is not for this server. */
  handle(message: Uint8Array, fromMember?: () => void): Promise<Uint8Array>
}

/** Both kinds of replication share the listeners. A message is processed by the server that can decrypt it. */
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

  /** The address under which other clusters reach this one; empty while not listening if no address was configured. */
  get address(): string {
    const { own, common } = this.#listeners ?? {}
    return (common ?? own)?.address ?? this.#parts.configuredAddress ?? ''
  }

  /** The reason why this kernel does not listen. */
  get error(): string | undefined {
    return this.#error
  }

  /** Listens on behalf of a server. */
  open(server: MessageServer): Promise<void> {
    this.#servers.add(server)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Stops listening when the last server has closed. */
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
   * Each kernel has an address of its own, because a session exists in only one kernel. On networks that accept any name, all kernels also
   * listen at the cluster id, where any of them can answer a first message.
   */
  async #begin(): Promise<OpenListeners> {
    const { internals, transport, configuredAddress } = this.#parts
    const handle = (message: Uint8Array, fromMember?: () => void) => this.#handle(message, fromMember)
    const { cluster, claims } = internals
    if (configuredAddress !== undefined || !cluster)
      return { own: await transport.listen(configuredAddress ?? '', handle), common: undefined }
    const common = await transport.listen(cluster.id, handle).catch((error: unknown) => {
      // A transport that exceeded its time limit would do so again.
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
