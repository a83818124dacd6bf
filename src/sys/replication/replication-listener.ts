/**
 * Where a kernel answers other clusters.
 */

import { EMPTY } from '../../core/base/bytes.ts'
import { NoAnswer } from '../../core/base/deadline.ts'
import type { Listening, ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import { isUnknownSession } from './channel/message.ts'
import type { ClusterNodes } from './cluster-nodes.ts'

export interface ListenerParts {
  readonly internals: Insides
  readonly transport: ReplicationTransport
  readonly nodes: ClusterNodes
  /** As the options say. */
  readonly configuredAddress: string | undefined
}

interface OpenListeners {
  readonly own: Listening
  /** Of all kernels of the cluster. */
  readonly common: Listening | undefined
}

/** Answers messages. */
export interface MessageServer {
  /** Nothing where the message is for somebody else. */
  handle(message: Uint8Array, fromMember?: () => void): Promise<Uint8Array>
}

/** Both kinds of replication answer at one place: a message is for whoever can open it. */
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

  /** How others reach this cluster; empty while nobody listens and nothing was given. */
  get address(): string {
    const { own, common } = this.#listeners ?? {}
    return (common ?? own)?.address ?? this.#parts.configuredAddress ?? ''
  }

  /** Why nobody listens. */
  get error(): string | undefined {
    return this.#error
  }

  /** Listens for somebody. */
  open(server: MessageServer): Promise<void> {
    this.#servers.add(server)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Listens no more where nobody else is listened for. */
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
      this.#error = `nobody listens here: ${error instanceof Error ? error.message : 'it failed'}`
    }
  }

  /**
   * A session belongs to one kernel, so each has an address of its own. Networks that take any name know the cluster by its id as well:
   * there any of its kernels answers a first message.
   */
  async #begin(): Promise<OpenListeners> {
    const { internals, transport, configuredAddress } = this.#parts
    const handle = (message: Uint8Array, fromMember?: () => void) => this.#handle(message, fromMember)
    const { cluster, claims } = internals
    if (configuredAddress !== undefined || !cluster)
      return { own: await transport.listen(configuredAddress ?? '', handle), common: undefined }
    const common = await transport.listen(cluster.id, handle).catch((error: unknown) => {
      // A transport that hangs would do so again.
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
