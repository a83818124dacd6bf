/** The server's side of an exchange. The server keeps no state between messages, so a repeated message is answered again, under a different key. */
import { plainBytes } from '../../../core/base/bytes.ts'
import type { Steps } from '../../../core/base/steps.ts'
import { exchangeSchedule, tagOf } from './exchange-schedule.ts'
import { type KeyPair, newKeyPair } from './key-pair.ts'
import type { KeySchedule } from './key-schedule.ts'
import { isMessage, KEY_HEAD_BYTES, keyHead, keyIn } from './message.ts'
import type { ChannelParts } from './parts.ts'
import { assertPlaintextFits, openOnce, sealOnce, TAG_BYTES } from './sealed-text.ts'

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
  if (!isMessage(message, 'exchange', KEY_HEAD_BYTES + TAG_BYTES)) return undefined
  const head = message.slice(0, KEY_HEAD_BYTES)
  const tag = tagOf(message)
  const schedule = exchangeSchedule(parts, keyPair.publicKey, context)
  schedule.bind(head)
  let request: Uint8Array | undefined
  try {
    if (!schedule.mix(keyPair.agree(keyIn(head)))) return undefined
    request = yield* openOnce(schedule.key('exchange request'), head, message.subarray(KEY_HEAD_BYTES))
  } finally {
    if (request === undefined) schedule.wipe()
  }
  if (request === undefined) return undefined
  schedule.bind(tag)
  return new ServerExchange(parts, schedule, keyIn(head), request)
}

class ServerExchange implements ExchangeRequest {
  readonly request: Uint8Array
  readonly #parts: ChannelParts
  readonly #schedule: KeySchedule
  readonly #clientKey: Uint8Array
  #stage: 'open' | 'answered' | 'over' = 'open'

  constructor(parts: ChannelParts, schedule: KeySchedule, clientKey: Uint8Array, request: Uint8Array) {
    this.#parts = parts
    this.#schedule = schedule
    this.#clientKey = clientKey
    this.request = request
  }

  *seal(answer: Uint8Array): Steps<Uint8Array | undefined> {
    assertPlaintextFits(answer)
    if (this.#stage === 'answered') throw new TypeError('this request was already answered')
    if (this.#stage === 'over') return undefined
    this.#stage = 'answered'
    const ephemeral = newKeyPair(this.#parts)
    const secret = ephemeral.agree(this.#clientKey)
    ephemeral.wipe()
    const head = keyHead('exchangeAnswer', ephemeral.publicKey)
    this.#schedule.bind(head)
    const key = this.#schedule.mix(secret) ? this.#schedule.key('exchange answer') : undefined
    this.#schedule.wipe()
    return key && (yield* sealOnce(key, head, answer))
  }

  end(): void {
    if (this.#stage === 'open') this.#stage = 'over'
    this.#schedule.wipe()
  }
}
