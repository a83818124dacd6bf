/**
 * Where a kernel answers other clusters.
 */

import { EMPTY } from '../../core/base/bytes.ts'
import { NoAnswer } from '../../core/base/deadline.ts'
import type { Listening, ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Insides } from '../../core/kernel/assemble.ts'
import { isUnknownSession } from './channel/message.ts'
import type { Nodes } from './nodes.ts'

export interface PlaceParts {
  readonly insides: Insides
  readonly transport: ReplicationTransport
  readonly nodes: Nodes
  /** As the options say. */
  readonly given: string | undefined
}

interface Places {
  readonly own: Listening
  /** Of all kernels of the cluster. */
  readonly common: Listening | undefined
}

/** Answers messages. */
export interface Answering {
  /** Nothing where the message is for somebody else. */
  handle(message: Uint8Array, fromMember?: () => void): Promise<Uint8Array>
}

/** Both kinds of replication answer at one place: a message is for whoever can open it. */
export class ListeningPlace {
  readonly #parts: PlaceParts
  readonly #servers = new Set<Answering>()
  #places: Places | undefined
  #opening: Promise<void> | undefined
  #error: string | undefined

  constructor(parts: PlaceParts) {
    this.#parts = parts
  }

  get nodes(): Nodes {
    return this.#parts.nodes
  }

  /** How others reach this cluster; empty while nobody listens and nothing was given. */
  get address(): string {
    const { own, common } = this.#places ?? {}
    return (common ?? own)?.address ?? this.#parts.given ?? ''
  }

  /** Why nobody listens. */
  get error(): string | undefined {
    return this.#error
  }

  /** Listens for somebody. */
  open(server: Answering): Promise<void> {
    this.#servers.add(server)
    this.#opening ??= this.#open().finally(() => {
      this.#opening = undefined
    })
    return this.#opening
  }

  /** Listens no more where nobody else is listened for. */
  async close(server: Answering): Promise<void> {
    this.#servers.delete(server)
    if (this.#servers.size > 0) return
    const places = this.#places
    this.#places = undefined
    await Promise.all([places?.own.close(), places?.common?.close(), this.nodes.unsay()])
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
      if (!this.#places) {
        this.#places = await this.#begin()
        await nodes.clear()
      }
      this.#error = undefined
      await nodes.say(this.#places.own.address)
    } catch (error) {
      this.#error = `nobody listens here: ${error instanceof Error ? error.message : 'it failed'}`
    }
  }

  /**
   * A session belongs to one kernel, so each has an address of its own. Networks that take any name know the cluster by its id as well:
   * there any of its kernels answers a first message.
   */
  async #begin(): Promise<Places> {
    const { insides, transport, given } = this.#parts
    const handle = (message: Uint8Array, fromMember?: () => void) => this.#handle(message, fromMember)
    const { cluster, claims } = insides
    if (given !== undefined || !cluster) return { own: await transport.listen(given ?? '', handle), common: undefined }
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
