/**
 * The way from a secondary to its primary: any of the kernels there, over a sealed session.
 */
import type { Clock } from '../../core/base/clock.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { Steps } from '../../core/base/steps.ts'
import { texts } from '../../core/base/texts.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Host } from '../../core/transaction/host.ts'
import { beginSession, type ClientSession } from './channel/client-session.ts'
import type { KeyPair } from './channel/key-pair.ts'
import { isUnknownSession } from './channel/message.ts'
import { MOST_PLAINTEXT_BYTES } from './channel/sealed-text.ts'
import { packSteps, unpackSteps } from './wire/packed.ts'

/** Nobody could be reached, or nobody who proved to be the primary. */
export class Unreachable extends KernelError {
  constructor(message: string, cause?: unknown) {
    super('ERR_UPSTREAM', message, { cause })
  }
}

/** The primary has refused, in its own words. */
export class Refused extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The code of a refusal to begin a session. */
export const UNKNOWN = 'unknown'

/** Kernels that share an address take turns there, and one of them knows the session: so often it is asked for before it is given up. */
const TURNS = 8

export interface LinkTarget {
  /** The name that the primary knows the secondary by. */
  readonly id: string
  /** The primary's public key. */
  readonly key: Uint8Array
  readonly identity: KeyPair
}

export type Answer = Readonly<Record<string, unknown>>

export const publicKeyOf = (hex: string): Uint8Array => texts.fromHex(hex)

export class Link {
  readonly #host: Host
  readonly #transport: ReplicationTransport
  readonly #target: LinkTarget
  readonly #sessions = new Map<string, Promise<ClientSession>>()
  /** Answered last. */
  #preferred = ''

  constructor(host: Host, transport: ReplicationTransport, target: LinkTarget) {
    this.#host = host
    this.#transport = transport
    this.#target = target
  }

  get isFor(): LinkTarget {
    return this.#target
  }

  /**
   * Asks one of the primary's kernels after another until one answers.
   * @param once Whether only what surely was not handled may be asked again.
   * @throws Unreachable, Refused; KernelError 413 for a message that is too long, before anything is sent.
   */
  async ask(addresses: readonly string[], message: Answer, signal: AbortSignal, once = false): Promise<Answer> {
    const order = [...addresses].sort((a, b) => Number(b === this.#preferred) - Number(a === this.#preferred))
    let last: unknown
    const plaintext = await drive(this.#host.clock, packSteps(message, MOST_PLAINTEXT_BYTES))
    try {
      for (const address of order) {
        try {
          const answer = await this.#askAt(address, plaintext, signal, once)
          this.#preferred = address
          return answer
        } catch (error) {
          if ((error instanceof Refused && error.code !== UNKNOWN) || (once && error instanceof LostAnswer)) throw error
          last = error
          signal.throwIfAborted()
        }
      }
    } finally {
      plaintext.fill(0)
    }
    if (last instanceof Refused) throw last
    throw new Unreachable(order.length === 0 ? 'no primary is known' : 'no kernel of the primary answers', last)
  }

  end(): void {
    for (const session of this.#sessions.values()) session.then((made) => made.end()).catch(() => {})
    this.#sessions.clear()
  }

  async #askAt(address: string, plaintext: Uint8Array, signal: AbortSignal, once: boolean): Promise<Answer> {
    for (let tries = 1; ; tries++) {
      const session = await this.#session(address, signal)
      const sealed = await drive(this.#host.clock, session.seal(plaintext))
      if (!sealed) throw new Unreachable('the session has ended')
      let answer: Uint8Array
      try {
        answer = await this.#transport.request(address, sealed.message, signal)
      } catch (error) {
        throw new LostAnswer(error)
      }
      if (isUnknownSession(answer) && tries < 2 * TURNS) {
        if (tries === TURNS) this.#drop(address, session)
        continue
      }
      const opened = await drive(this.#host.clock, sealed.open(answer))
      const value = opened && (await drive(this.#host.clock, unpackSteps(opened)))?.value
      opened?.fill(0)
      if (typeof value !== 'object' || value === null)
        throw once ? new LostAnswer() : new Unreachable('the answer is not the primary’s')
      return checked(value as Answer)
    }
  }

  async #session(address: string, signal: AbortSignal): Promise<ClientSession> {
    const known = await this.#sessions.get(address)
    if (known && !known.tired(this.#host.clock.now())) return known
    const made = this.#begin(address, signal)
    this.#sessions.set(address, made)
    made.catch(() => this.#sessions.delete(address))
    return made
  }

  async #begin(address: string, signal: AbortSignal): Promise<ClientSession> {
    const { clock, env } = this.#host
    const { id, key, identity } = this.#target
    const self = { peerId: id, keyPair: identity }
    const session = await drive(clock, beginSession({ crypto: env.crypto, entropy: env.entropy }, self, key, clock.now()))
    if (!session) throw new Unreachable('the key of the primary is none')
    const answer = await this.#transport.request(address, session.hello, signal)
    if (await drive(clock, session.welcomed(answer))) return session
    session.end()
    throw new Refused(UNKNOWN, 'the primary does not know this secondary: it was revoked, or somebody else answers in its place')
  }

  #drop(address: string, session: ClientSession): void {
    session.end()
    this.#sessions.delete(address)
  }
}

/** A request may have been handled. */
export class LostAnswer extends KernelError {
  constructor(cause?: unknown) {
    super('ERR_UNAVAILABLE', 'the answer of the primary was lost: whether the request took effect is not known', { cause })
  }
}

function checked(answer: Answer): Answer {
  const { refused } = answer as { refused?: { code?: unknown; message?: unknown } }
  if (refused) throw new Refused(String(refused.code), String(refused.message))
  return answer
}

/** Runs steps to their end; short ones without a pause. */
export async function drive<T>(clock: Clock, steps: Steps<T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await (step.value ?? clock.sleep(0))
  }
}
