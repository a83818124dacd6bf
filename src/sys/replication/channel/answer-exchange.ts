/** The server's side of an exchange. The server keeps no state between messages, so a repeated message is answered again, under a different key. */
import { EMPTY, plainBytes } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { assertPlaintextFits, sealFragments } from './fragments.ts'
import { newHandshake } from './handshakes.ts'
import type { KeyPair } from './key-pair.ts'
import { isMessage, PLAIN_HEAD_BYTES, withHead } from './message.ts'
import type { HandshakeState } from './noise/handshake-state.ts'
import type { ChannelParts } from './parts.ts'
import { SessionKeys } from './session-keys.ts'

/** A decrypted request, with the method that encrypts its answer. */
export interface ExchangeRequest {
  readonly request: Uint8Array
  /**
   * @param answer Not copied: must not change until the generator has ended.
   * @returns The message to send; undefined after {@link end}.
   * @throws TypeError if the request was already answered; KernelError 413 if the answer does not fit into a message.
   */
  seal(answer: Uint8Array): Steps<Uint8Array | undefined>
  /** Wipes the keys if no answer is sent. Idempotent. */
  end(): void
}

/**
 * Decrypts a request.
 *
 * @param bytes The message. It is not copied, and must not change until the generator has ended.
 * @param context The purpose of the exchange. Both sides must pass the same string.
 * @returns The request; undefined if the message was not encrypted for this key and this context.
 */
export function* answerExchange(
  parts: ChannelParts,
  keyPair: KeyPair,
  bytes: Uint8Array,
  context: string,
): Steps<ExchangeRequest | undefined> {
  const message = plainBytes(bytes)
  if (!isMessage(message, 'exchange', PLAIN_HEAD_BYTES)) return undefined
  const handshake = newHandshake(parts, 'exchange', context, { identity: keyPair })
  let request: Uint8Array | undefined
  try {
    request = yield* handshake.readMessage(message.subarray(PLAIN_HEAD_BYTES))
  } finally {
    if (request === undefined) handshake.wipe()
  }
  return request && new ServerExchange(handshake, request)
}

class ServerExchange implements ExchangeRequest {
  readonly request: Uint8Array
  readonly #handshake: HandshakeState
  #stage: 'open' | 'answered' | 'over' = 'open'

  constructor(handshake: HandshakeState, request: Uint8Array) {
    this.#handshake = handshake
    this.request = request
  }

  *seal(answer: Uint8Array): Steps<Uint8Array | undefined> {
    assertPlaintextFits(answer)
    if (this.#stage === 'answered') throw new TypeError('this request was already answered')
    if (this.#stage === 'over') return undefined
    this.#stage = 'answered'
    let keys: SessionKeys | undefined
    try {
      const message = yield* this.#handshake.writeMessage(EMPTY)
      if (message === undefined) return undefined
      keys = new SessionKeys(this.#handshake)
      return yield* sealFragments(keys.outgoing, 0, withHead('exchangeAnswer', message), answer)
    } finally {
      this.#handshake.wipe()
      keys?.end()
    }
  }

  end(): void {
    if (this.#stage === 'open') this.#stage = 'over'
    this.#handshake.wipe()
  }
}
