/** The link from a secondary to the kernels of its primary, over encrypted sessions. */
import type { Clock } from '../../core/base/clock.ts'
import { KernelError } from '../../core/base/errors.ts'
import type { Steps } from '../../core/base/steps.ts'
import { texts } from '../../core/base/texts.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'
import type { Host } from '../../core/transaction/host.ts'
import { beginSession, type ClientSession } from './channel/client-session.ts'
import { MAX_PLAINTEXT_BYTES } from './channel/fragments.ts'
import type { KeyPair } from './channel/key-pair.ts'
import { isUnknownSession } from './channel/message.ts'
import { packSteps } from './wire/packed.ts'
import { unpackSteps } from './wire/unpack.ts'

/** No kernel answered, or no kernel that answered could prove that it belongs to the primary. */
export class PrimaryUnreachableError extends KernelError {
  constructor(message: string, cause?: unknown) {
    super('ERR_UPSTREAM', message, { cause })
  }
}

/** The primary refused the request. `message` is the error message of the primary. */
export class PrimaryRefusedError extends Error {
  readonly code: string

  constructor(code: string, message: string) {
    super(message)
    this.code = code
  }
}

/** The error code if the primary refuses to begin a session. */
export const UNKNOWN_SECONDARY = 'unknown'

/**
 * How often a request is sent again because the answer said that the session is unknown, before the session is abandoned. If several kernels
 * share an address, requests reach them in turn, and only one of the kernels knows the session.
 */
const MAX_UNKNOWN_ANSWERS = 8

export interface LinkTarget {
  /** The id under which the primary knows the secondary. */
  readonly id: string
  /** The primary's public key. */
  readonly key: Uint8Array
  readonly identity: KeyPair
}

export type LinkMessage = Readonly<Record<string, unknown>>

export const publicKeyFromHex = (hex: string): Uint8Array => texts.fromHex(hex)

export class Link {
  readonly #host: Host
  readonly #transport: ReplicationTransport
  readonly #target: LinkTarget
  readonly #sessions = new Map<string, Promise<ClientSession>>()
  /** The address at which a kernel answered last. It is tried first. */
  #preferred = ''

  constructor(host: Host, transport: ReplicationTransport, target: LinkTarget) {
    this.#host = host
    this.#transport = transport
    this.#target = target
  }

  get target(): LinkTarget {
    return this.#target
  }

  /**
   * Sends the request to the primary's kernels, one after another, until one of them answers.
   *
   * @param once If true, the request is not repeated after its answer was lost, because the primary may have processed it.
   * @throws PrimaryUnreachableError, PrimaryRefusedError; KernelError 413, before anything is sent, if the message is too long.
   */
  async ask(addresses: readonly string[], message: LinkMessage, signal: AbortSignal, once = false): Promise<LinkMessage> {
    const isFirst = addresses.length < 2 || addresses[0] === this.#preferred
    const order = isFirst
      ? addresses
      : [...addresses].sort((a, b) => Number(b === this.#preferred) - Number(a === this.#preferred))
    let last: unknown
    const plaintext = await runSteps(this.#host.clock, packSteps(message, MAX_PLAINTEXT_BYTES))
    try {
      for (const address of order) {
        try {
          const answer = await this.#requestAt(address, plaintext, signal, once)
          this.#preferred = address
          return answer
        } catch (error) {
          if (
            (error instanceof PrimaryRefusedError && error.code !== UNKNOWN_SECONDARY) ||
            (once && error instanceof PrimaryAnswerLostError)
          )
            throw error
          last = error
          signal.throwIfAborted()
        }
      }
    } finally {
      plaintext.fill(0)
    }
    if (last instanceof PrimaryRefusedError) throw last
    throw new PrimaryUnreachableError(order.length === 0 ? 'no primary is known' : 'no kernel of the primary answered', last)
  }

  end(): void {
    for (const session of this.#sessions.values()) session.then((made) => made.end()).catch(() => {})
    this.#sessions.clear()
  }

  async #requestAt(address: string, plaintext: Uint8Array, signal: AbortSignal, once: boolean): Promise<LinkMessage> {
    for (let tries = 1; ; tries++) {
      const session = await this.#session(address, signal)
      const sealed = await runSteps(this.#host.clock, session.seal(plaintext))
      if (!sealed) throw new PrimaryUnreachableError('the session has ended')
      let answer: Uint8Array
      try {
        answer = await this.#transport.request(address, sealed.message, signal)
      } catch (error) {
        throw new PrimaryAnswerLostError(error)
      }
      if (isUnknownSession(answer) && tries < 2 * MAX_UNKNOWN_ANSWERS) {
        if (tries === MAX_UNKNOWN_ANSWERS) this.#drop(address, session)
        continue
      }
      const opened = await runSteps(this.#host.clock, sealed.open(answer))
      const value = opened && (await runSteps(this.#host.clock, unpackSteps(opened)))?.value
      opened?.fill(0)
      if (typeof value !== 'object' || value === null)
        throw once ? new PrimaryAnswerLostError() : new PrimaryUnreachableError('the answer does not come from the primary')
      return assertNotRefused(value as LinkMessage)
    }
  }

  async #session(address: string, signal: AbortSignal): Promise<ClientSession> {
    const known = await this.#sessions.get(address)
    if (known && !known.needsRenewal(this.#host.clock.now())) return known
    const made = this.#begin(address, signal)
    this.#sessions.set(address, made)
    made.catch(() => this.#sessions.delete(address))
    return made
  }

  async #begin(address: string, signal: AbortSignal): Promise<ClientSession> {
    const { clock, env } = this.#host
    const { id, key, identity } = this.#target
    const self = { peerId: id, keyPair: identity }
    const session = await runSteps(clock, beginSession({ crypto: env.crypto, entropy: env.entropy }, self, key, clock.now()))
    if (!session) throw new PrimaryUnreachableError('the public key of the primary is invalid')
    const answer = await this.#transport.request(address, session.hello, signal)
    if (await runSteps(clock, session.acceptWelcome(answer))) return session
    session.end()
    throw new PrimaryRefusedError(
      UNKNOWN_SECONDARY,
      'the primary does not know this secondary: the secondary was revoked, or another cluster answers at this address',
    )
  }

  #drop(address: string, session: ClientSession): void {
    session.end()
    this.#sessions.delete(address)
  }
}

/** The answer was lost, so the request may have been processed. */
export class PrimaryAnswerLostError extends KernelError {
  constructor(cause?: unknown) {
    super('ERR_UNAVAILABLE', 'the answer of the primary was lost, so it is not known whether the request took effect', { cause })
  }
}

function assertNotRefused(answer: LinkMessage): LinkMessage {
  const { refused } = answer as { refused?: { code?: unknown; message?: unknown } }
  if (refused) throw new PrimaryRefusedError(String(refused.code), String(refused.message))
  return answer
}

/** Runs a generator of steps to its end. Between two steps, other work of this process can run. Short work has only one step. */
export function runSteps<T>(clock: Clock, steps: Steps<T>): T | Promise<T> {
  const first = steps.next()
  return first.done ? first.value : runRest(clock, steps, first.value)
}

async function runRest<T>(clock: Clock, steps: Steps<T>, pause: Promise<void> | void): Promise<T> {
  await (pause ?? clock.sleep(0))
  for (let step = steps.next(); ; step = steps.next()) {
    if (step.done) return step.value
    await (step.value ?? clock.sleep(0))
  }
}
