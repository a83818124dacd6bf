/**
 * The items of one request that threads may do: packed into orders, and taken out of their answers.
 */

import { awaited, isSteps, type Steps } from '../../../core/base/steps.ts'
import type { WorkerClient } from '../../../core/contract/offload-task.ts'
import { type OffloadTask, withOffloadTask } from '../../../core/contract/offload-task.ts'
import type { Environment, Work } from '../../../core/contract/tx.ts'
import type { WorkersLease } from '../../../core/contract/workers-port.ts'
import type { HashName } from '../../../core/crypto/backend.ts'
import { type BuiltInBackend, builtInBackend } from '../../../core/crypto/built-in-backends.ts'
import { type KeyTypeName, keyType } from '../key-types/index.ts'
import type { Costs, Derivation, SigningRules } from '../key-types/key-type.ts'
import type { VersionKey } from '../material.ts'
import { type CryptoTask, type CryptoTaskResult, type CryptoVerb, OUTCOME_DONE, OUTCOME_FAILED } from './crypto-task.ts'
import { isPacked, pack, partOf } from './packed-bytes.ts'

/** What an item brings. */
export interface OffloadItem {
  readonly key: VersionKey
  readonly derivation: Derivation | undefined
  /** A plaintext, or what is signed. */
  readonly input?: Uint8Array | undefined
  /** A ciphertext behind its version, base64. */
  readonly body?: string | undefined
  readonly associatedData?: Uint8Array | undefined
  readonly nonce?: Uint8Array | undefined
  readonly signature?: Uint8Array | undefined
}

/** An item; all have the same members, so that walking them is quick. */
interface TransitOffloadTask<T> extends OffloadTask<T>, Required<OffloadItem> {
  /** The key to seal under, and how it is derived; only for `reseal`. */
  readonly to: Pick<OffloadItem, 'key' | 'derivation'> | undefined
}

/** What is the same for all items. */
export interface OffloadParameters {
  readonly rules?: SigningRules
  readonly hash?: HashName
}

/** These draw randomness. */
const RANDOMIZED_VERBS: readonly CryptoVerb[] = ['seal', 'reseal', 'sign']

const COSTS: Readonly<Record<CryptoVerb, (costs: Costs) => number>> = {
  seal: ({ encrypt }) => encrypt,
  open: ({ decrypt }) => decrypt,
  reseal: ({ encrypt, decrypt }) => encrypt + decrypt,
  sign: ({ sign }) => sign,
  verify: ({ verify }) => verify,
  mac: () => 6,
}

/** The noble libraries' pace, at the most. */
const BYTES_PER_MICROSECOND = 100

/** Messages under way for one batch, for each thread: it has the next one when it is done with one. */
const MESSAGES_PER_THREAD = 2

export class TransitWorkers implements WorkerClient {
  readonly maxMessages: number
  readonly minMicroseconds: number
  readonly #workers: WorkersLease
  readonly #backend: BuiltInBackend
  readonly #type: KeyTypeName
  readonly #verb: CryptoVerb
  readonly #means: OffloadParameters
  readonly #cost: number
  readonly #holdsLoop: boolean

  constructor(workers: WorkersLease, backend: BuiltInBackend, type: KeyTypeName, verb: CryptoVerb, means: OffloadParameters) {
    const { costs, blockingBackends: holdsLoop } = keyType(type)
    this.maxMessages = MESSAGES_PER_THREAD * workers.size
    this.minMicroseconds = workers.least
    this.#workers = workers
    this.#backend = backend
    this.#type = type
    this.#verb = verb
    this.#means = means
    this.#cost = COSTS[verb](costs)
    // The platform signs messages and no digests.
    this.#holdsLoop = holdsLoop.includes(backend) || (means.rules?.prehashed === true && backend === 'accelerated')
  }

  /**
   * The work, which a thread does in a batch, or by itself where it would hold the event loop for long.
   * @param to The key to seal under, for `reseal`.
   */
  offload<T, M>(here: Work<T>, piece: OffloadItem, use: (made: M) => T, to?: TransitOffloadTask<T>['to']): Work<T> {
    const { key, derivation, input, body, associatedData, nonce, signature } = piece
    const parts = { key, derivation, input, body, associatedData, nonce, signature, to }
    const errand: TransitOffloadTask<T> = { worker: this, useResult: use as (made: never) => T, local: here, ...parts }
    return withOffloadTask(this.#holdsLoop && this.#isLong(piece) ? () => offloadOne(errand) : here, errand)
  }

  async run(errands: readonly OffloadTask<unknown>[], signal: AbortSignal | undefined): Promise<readonly unknown[] | undefined> {
    const order = this.#order(errands as readonly TransitOffloadTask<unknown>[])
    const packed = [order.inputs, order.associated, order.contexts, order.nonces, order.signatures]
    const transfer = packed.flatMap((one) => (one ? [one.bytes.buffer, one.ends.buffer as ArrayBuffer] : []))
    const answer = (await this.#workers.run(order, transfer, signal).catch(() => undefined)) as CryptoTaskResult | undefined
    // What no thread has taken is still here; what one has taken has no length.
    if (order.inputs && order.inputs.bytes.length > 0) order.inputs.bytes.fill(0)
    if (answer === undefined || !isValidResult(answer, errands.length)) return undefined
    try {
      return errands.map((_, index) => resultOf(this.#verb, answer, index))
    } finally {
      answer.bytes?.bytes.fill(0)
    }
  }

  #isLong({ input, body, associatedData }: OffloadItem): boolean {
    const bytes = (input?.length ?? 0) + (body?.length ?? 0) + (associatedData?.length ?? 0)
    return this.#cost + bytes / BYTES_PER_MICROSECOND >= this.minMicroseconds
  }

  #order(errands: readonly TransitOffloadTask<unknown>[]): CryptoTask {
    const places = new Map<VersionKey, number>()
    const convergent: number[] = []
    const placeOf = ({ key, derivation }: Pick<OffloadItem, 'key' | 'derivation'>): number => {
      const known = places.get(key)
      if (known !== undefined) return known
      convergent.push(derivation?.convergent ?? 0)
      places.set(key, places.size)
      return places.size - 1
    }
    const under = errands.map(placeOf)
    const resealed = this.#verb === 'reseal'
    const { rules, hash } = this.#means
    return {
      verb: this.#verb,
      backend: this.#backend,
      type: this.#type,
      keyIndexes: under,
      sealKeyIndexes: resealed ? errands.map(({ to }) => placeOf(to as OffloadItem)) : [],
      keys: Array.from(places.keys(), (key) => key.shared),
      convergent,
      inputs: pack(errands, ({ input }) => input),
      bodies: resealed || this.#verb === 'open' ? errands.map(({ body }) => body as string) : [],
      associated: pack(errands, ({ associatedData }) => associatedData),
      contexts: pack(errands, ({ derivation }) => derivation?.context),
      kdf: errands[0]?.derivation?.kdf ?? 0,
      nonces: pack(errands, ({ nonce }) => nonce),
      signatures: pack(errands, ({ signature }) => signature),
      rules,
      hash,
    }
  }
}

/** Undefined where the event loop does all of it: without threads, with a backend or randomness that threads do not have. */
export function workersFor(
  { workers, crypto, entropy }: Environment,
  type: KeyTypeName,
  verb: CryptoVerb,
  means: OffloadParameters = {},
): TransitWorkers | undefined {
  if (!workers || keyType(type).isManaged || (!entropy.system && RANDOMIZED_VERBS.includes(verb))) return undefined
  const backend = builtInBackend(crypto)
  return backend && new TransitWorkers(workers, backend, type, verb, means)
}

/** One item by itself. */
function* offloadOne<T>(errand: OffloadTask<T>): Steps<T> {
  const { worker: crew, useResult: use, local: here } = errand
  const [made] = (yield* awaited(crew.run([errand], undefined))) ?? []
  if (made !== undefined) return use(made as never)
  const outcome = here()
  return isSteps(outcome) ? yield* outcome : outcome
}

/** A port may be anybody's. */
function isValidResult({ outcomes: done, texts, bytes, publicKeys }: CryptoTaskResult, count: number): boolean {
  return (
    done instanceof Uint8Array &&
    done.length === count &&
    Array.isArray(texts) &&
    isPacked(bytes, count) &&
    isPacked(publicKeys, count)
  )
}

function resultOf(verb: CryptoVerb, { outcomes: done, texts, bytes, publicKeys }: CryptoTaskResult, index: number): unknown {
  if (done[index] === OUTCOME_FAILED) return undefined
  if (verb === 'verify') return done[index] === OUTCOME_DONE
  if (verb === 'seal' || verb === 'reseal') return typeof texts[index] === 'string' ? texts[index] : undefined
  const made = partOf(bytes, index).slice()
  if (verb !== 'sign') return made
  return publicKeys ? { bytes: made, publicKey: partOf(publicKeys, index).slice() } : { bytes: made }
}
