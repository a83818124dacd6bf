/**
 * Answers messages from other clusters of the set. All messages use encrypted sessions, except the activation of a new secondary, which is
 * an encrypted exchange of its own.
 */
import { EMPTY } from '../../../core/base/bytes.ts'
import { KernelError } from '../../../core/base/errors.ts'
import { answerExchange } from '../channel/answer-exchange.ts'
import { MAX_PLAINTEXT_BYTES } from '../channel/fragments.ts'
import { unknownSession } from '../channel/message.ts'
import { isHello } from '../channel/server-handshake.ts'
import { ServerSessions } from '../channel/server-sessions.ts'
import { runSteps } from '../link.ts'
import type { Membership, SetMember } from '../membership.ts'
import type { SetHost } from '../state/set-host.ts'
import { type Message, objectOf, stringMember } from '../wire/message-members.ts'
import { pack, packSteps } from '../wire/packed.ts'
import { unpackSteps } from '../wire/unpack.ts'
import { PeerKeys } from './peer-keys.ts'
import { UnauthenticatedQueue } from './unauthenticated-queue.ts'

/** Handlers, keyed by the kind of message. `peer` is the id of the secondary that sent the message. */
export type Handlers = Readonly<Record<string, (message: Message, peer: string, member: SetMember) => Promise<Message>>>

export interface ServerParts {
  readonly host: SetHost
  readonly membership: Membership
  readonly handlers: Handlers
  readonly activate: (request: Message, member: SetMember) => Promise<Message>
}

export class ReplicationServer {
  readonly #parts: ServerParts
  readonly peers: PeerKeys
  #sessions: { readonly of: SetMember['keys']; readonly all: ServerSessions } | undefined
  readonly #unauthenticated = new UnauthenticatedQueue()

  constructor(parts: ServerParts) {
    this.#parts = parts
    this.peers = new PeerKeys(parts.host)
  }

  /** Answers a message. Never rejects: a message that cannot be answered gets an empty answer. */
  async handle(message: Uint8Array, fromMember?: () => void): Promise<Uint8Array> {
    try {
      return (await this.#handle(message, fromMember)) ?? EMPTY
    } catch {
      return EMPTY
    }
  }

  /** Disconnects a secondary. */
  drop(peer: string): void {
    this.peers.forget()
    this.#sessions?.all.drop(peer)
  }

  end(): void {
    this.#sessions?.all.end()
    this.#sessions = undefined
    this.peers.forget()
  }

  async #handle(message: Uint8Array, fromMember?: () => void): Promise<Uint8Array | undefined> {
    const { host, membership } = this.#parts
    const member = await membership.current()
    if (!member) return undefined
    const now = host.clock.now()
    const sessions = this.#sessionsOf(member)
    const opened = await runSteps(host.clock, sessions.open(message, now))
    if (opened === 'unknown session') return unknownSession()
    if (opened) {
      await this.peers.load()
      if (!this.peers.keyOf(opened.peerId)) return undefined
      fromMember?.()
      const answer = await this.#answer(opened.plaintext, opened.peerId, member)
      const sealed = await runSteps(host.clock, opened.seal(answer))
      answer.fill(0)
      return sealed
    }
    return this.#unauthenticated.run(message, () => this.#answerUnauthenticated(message))
  }

  /**
   * Answers a message outside a session. Reads the membership again, because the cluster's role may have changed while the message was
   * queued.
   */
  async #answerUnauthenticated(message: Uint8Array): Promise<Uint8Array | undefined> {
    const { host, membership } = this.#parts
    const member = await membership.current()
    if (!member) return undefined
    return isHello(message) ? this.#welcome(this.#sessionsOf(member), message, host.clock.now()) : this.#activate(message, member)
  }

  async #welcome(sessions: ServerSessions, hello: Uint8Array, now: number): Promise<Uint8Array | undefined> {
    await this.peers.load()
    return runSteps(
      this.#parts.host.clock,
      sessions.answerHello(hello, (peer) => this.peers.keyOf(peer), now),
    )
  }

  async #activate(message: Uint8Array, member: SetMember): Promise<Uint8Array | undefined> {
    const { host, activate } = this.#parts
    const { clock, env } = host
    const parts = { crypto: env.crypto, entropy: env.entropy }
    const exchange = await runSteps(clock, answerExchange(parts, member.keys.identity, message, host.kind.activation))
    if (!exchange) return undefined
    try {
      const answer = await this.#replyTo(exchange.request, (request) => activate(request, member))
      return await runSteps(clock, exchange.seal(answer))
    } finally {
      exchange.end()
    }
  }

  #answer(plaintext: Uint8Array, peer: string, member: SetMember): Promise<Uint8Array> {
    return this.#replyTo(plaintext, (message) => {
      const kind = stringMember(message, 'kind')
      const handler = Object.hasOwn(this.#parts.handlers, kind) ? this.#parts.handlers[kind] : undefined
      if (!handler) throw new KernelError('ERR_UNSUPPORTED_OPERATION', 'this release does not support this kind of message')
      return handler(message, peer, member)
    })
  }

  async #replyTo(plaintext: Uint8Array, answer: (message: Message) => Promise<Message>): Promise<Uint8Array> {
    const { clock } = this.#parts.host
    try {
      const message = objectOf((await runSteps(clock, unpackSteps(plaintext)))?.value, 'form')
      return await runSteps(clock, packSteps(await answer(message), MAX_PLAINTEXT_BYTES))
    } catch (error) {
      const isShown = error instanceof KernelError && error.code !== 'ERR_INTERNAL'
      return pack({
        refused: isShown
          ? { code: error.code, message: error.message }
          : { code: 'ERR_UNAVAILABLE', message: 'the primary could not process the message' },
      })
    } finally {
      plaintext.fill(0)
    }
  }

  #sessionsOf({ keys }: SetMember): ServerSessions {
    const { env } = this.#parts.host
    if (this.#sessions?.of !== keys) {
      this.#sessions?.all.end()
      this.#sessions = { of: keys, all: new ServerSessions({ crypto: env.crypto, entropy: env.entropy }, keys.identity) }
    }
    return this.#sessions.all
  }
}
