/**
 * Estimates how long the event loop needs to compute an item, and decides whether worker threads are faster.
 *
 * Measured on two processors, with batches of up to 1,000 items, 4 of them in flight (time without threads : time with 2 threads):
 *
 * | computation | 32 B | 256 B | 1 KiB | 4 KiB | 16 KiB |
 * |---|---|---|---|---|---|
 * | AES-GCM by node:crypto: encrypt or decrypt | 0.5 to 0.7 | 0.4 to 0.7 | 0.4 to 0.7 | 0.3 to 0.7 | 0.2 to 0.4 |
 * | AES-GCM by node:crypto: rewrap | 0.7 to 0.9 | 0.7 to 1.0 | 0.6 to 0.8 | 0.4 to 0.6 | 0.4 |
 * | ChaCha20-Poly1305 by node:crypto: encrypt | 0.4 | 0.5 | 1.0 | 0.3 | 0.4 |
 * | ChaCha20-Poly1305 by noble: encrypt | 0.8 | 0.6 | 1.0 | 1.5 | 2.3 |
 * | ChaCha20-Poly1305 by noble: decrypt | 1.4 | 1.3 | 1.6 | 1.7 | 2.0 |
 * | ChaCha20-Poly1305 by noble: rewrap | 0.7 to 1.3 | 0.8 to 1.0 | 1.2 to 2.2 | 1.6 | 1.4 to 3.7 |
 * | HMAC-SHA-256 by noble | 0.9 | not measured | 1.8 | not measured | 3.1 |
 *
 * An item and its result take about 11 us to transfer, and 4 us more per KiB, on both sides together. Native code encrypts, decrypts and
 * authenticates faster than that, whatever the size is.
 *
 * For key pairs, a message also costs 0.5 to 2.5 ms on the thread, which parses the keys again. ECDSA of the platform therefore never uses
 * worker threads: P-256 takes 40 to 100 us, and for the other curves the platform has threads of its own.
 */
import type { Environment } from '../../../core/contract/environment.ts'
import type { BuiltInBackend } from '../../../core/crypto/built-in-backends.ts'
import { hmacType } from '../key-types/hmac.ts'
import type { Costs, KeyType } from '../key-types/key-type.ts'
import type { CryptoVerb } from './crypto-task.ts'
import type { OffloadItem, OffloadParameters } from './offload-item.ts'

/** An upper bound of the noble libraries' throughput. */
const BYTES_PER_MICROSECOND = 100

/** The transfer of an item without its bytes, in microseconds. */
const TRANSFER_MICROSECONDS = 11
const TRANSFER_BYTES_PER_MICROSECOND = 250

/** Cheaper items of key pairs would take less time than parsing the keys. */
const MIN_KEY_PAIR_MICROSECONDS = 200

/** The figures above are for threads whose messages cost as much as those of `nodeWorkers`, which has this value of `least`. */
const MEASURED_LEAST = 500

/** Much longer than the time to send a message, but short enough that all threads get work. Messages that parse keys are longer. */
const MESSAGE_MICROSECONDS = 1_500
const KEY_PAIR_MESSAGE_MICROSECONDS = 4_000

const COSTS: Readonly<Record<CryptoVerb, (costs: Costs) => number>> = {
  seal: ({ encrypt }) => encrypt,
  open: ({ decrypt }) => decrypt,
  reseal: ({ encrypt, decrypt }) => encrypt + decrypt,
  sign: ({ sign }) => sign,
  verify: ({ verify }) => verify,
  mac: () => 6,
}

/** The computing time of the items of one request. */
export class ComputingTime {
  /** The estimated work after which a message is sent. */
  readonly messageMicroseconds: number
  readonly #least: number
  readonly #cost: number
  readonly #blocksEventLoop: boolean
  readonly #minMicroseconds: number

  /** @param least See `WorkersLease`. With 0, all items are worth sending. */
  constructor(
    env: Pick<Environment, 'crypto' | 'entropy'>,
    backend: BuiltInBackend,
    { costs, blockingBackends, displayName }: KeyType,
    verb: CryptoVerb,
    { rules }: OffloadParameters,
    least: number,
  ) {
    const prehashed = rules?.prehashed === true
    const isMac = verb === 'mac'
    const hasKeyPair = displayName !== undefined && !isMac
    const blocking = isMac ? hmacType.blockingBackends : blockingBackends
    this.messageMicroseconds = hasKeyPair ? KEY_PAIR_MESSAGE_MICROSECONDS : MESSAGE_MICROSECONDS
    this.#least = least
    this.#cost = COSTS[verb](costs(env, prehashed))
    // The platform can sign only whole messages. Digests are therefore signed by noble, which blocks the event loop.
    this.#blocksEventLoop = blocking.includes(backend) || (prehashed && backend === 'accelerated')
    this.#minMicroseconds = hasKeyPair ? MIN_KEY_PAIR_MICROSECONDS : TRANSFER_MICROSECONDS
  }

  /** Whether any item can be worth sending. */
  get canBeLong(): boolean {
    return this.#blocksEventLoop || this.#least === 0
  }

  /** Whether a batch should send the item. */
  isWorthSending(item: OffloadItem): boolean {
    const saved = this.#blocksEventLoop ? this.#of(item) : 0
    const transfer = this.#minMicroseconds + bytesOf(item) / TRANSFER_BYTES_PER_MICROSECOND
    return saved >= (transfer * this.#least) / MEASURED_LEAST
  }

  /** Whether the item would block the event loop so long that it should be sent alone if it is not a part of a batch. */
  isWorthSendingAlone(item: OffloadItem): boolean {
    return this.#blocksEventLoop && this.#of(item) >= this.#least
  }

  #of(item: OffloadItem): number {
    return this.#cost + bytesOf(item) / BYTES_PER_MICROSECOND
  }
}

const bytesOf = ({ input, body, associatedData }: OffloadItem): number =>
  (input?.length ?? 0) + (body?.length ?? 0) + (associatedData?.length ?? 0)
