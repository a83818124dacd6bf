/** Offloads the items of one request to worker threads: packs them into tasks, and unpacks the results. */

import { awaitInSteps, isSteps, type Steps } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import type { WorkerClient } from '../../../core/contract/offload-task.ts'
import { type OffloadTask, withOffloadTask } from '../../../core/contract/offload-task.ts'
import type { Work } from '../../../core/contract/tx.ts'
import type { WorkersLease } from '../../../core/contract/workers-port.ts'
import { type BuiltInBackend, builtInBackend } from '../../../core/crypto/built-in-backends.ts'
import { type KeyTypeName, keyType } from '../key-types/index.ts'
import type { VersionKey } from '../material.ts'
import { ComputingTime } from './computing-time.ts'
import { type CryptoTask, type CryptoTaskResult, type CryptoVerb, OUTCOME_DONE, OUTCOME_FAILED } from './crypto-task.ts'
import type { OffloadItem, OffloadParameters } from './offload-item.ts'
import { isPacked, packBytes, partOf } from './packed-bytes.ts'

/** One item. All item objects have the same members in the same order, which keeps property access fast in V8. */
interface TransitOffloadTask<T> extends OffloadTask<T>, Required<OffloadItem> {
  /** Only for `reseal`: the key to encrypt under, and how it is derived. */
  readonly to: Pick<OffloadItem, 'key' | 'derivation'> | undefined
}

/** The computations that use random numbers. */
const RANDOMIZED_VERBS: readonly CryptoVerb[] = ['seal', 'reseal', 'sign']

/** The number of messages in flight per thread and batch. With two, the next message is already waiting when the thread finishes one. */
const MESSAGES_PER_THREAD = 2

export class TransitWorkers implements WorkerClient {
  readonly maxMessages: number
  readonly messageMicroseconds: number
  readonly minMicroseconds: number
  readonly #workers: WorkersLease
  readonly #backend: BuiltInBackend
  readonly #type: KeyTypeName
  readonly #verb: CryptoVerb
  readonly #parameters: OffloadParameters
  readonly time: ComputingTime

  constructor(
    env: Environment,
    workers: WorkersLease,
    backend: BuiltInBackend,
    type: KeyTypeName,
    verb: CryptoVerb,
    parameters: OffloadParameters,
  ) {
    this.maxMessages = MESSAGES_PER_THREAD * workers.size
    this.minMicroseconds = workers.least
    this.#workers = workers
    this.#backend = backend
    this.#type = type
    this.#verb = verb
    this.#parameters = parameters
    this.time = new ComputingTime(env, backend, keyType(type), verb, parameters, workers.least)
    this.messageMicroseconds = this.time.messageMicroseconds
  }

  /**
   * Offloads the computation of an item if threads are faster: as a part of a batch, or alone if it would block the event loop for long.
   * @param to Only for `reseal`: the key to encrypt under.
   */
  offload<T, M>(local: Work<T>, item: OffloadItem, useResult: (made: M) => T, to?: TransitOffloadTask<T>['to']): Work<T> {
    if (!this.time.isWorthSending(item)) return local
    const { key, derivation, input, body, associatedData, nonce, signature } = item
    const parts = { key, derivation, input, body, associatedData, nonce, signature, to }
    const task: TransitOffloadTask<T> = { worker: this, useResult: useResult as (made: never) => T, local, ...parts }
    return withOffloadTask(this.time.isWorthSendingAlone(item) ? () => offloadOne(task) : local, task)
  }

  async run(tasks: readonly OffloadTask<unknown>[], signal: AbortSignal | undefined): Promise<readonly unknown[] | undefined> {
    const task = this.#task(tasks as readonly TransitOffloadTask<unknown>[])
    const packed = [task.inputs, task.associated, task.contexts, task.nonces, task.signatures]
    const transfer = packed.flatMap((one) => (one ? [one.bytes.buffer, one.ends.buffer as ArrayBuffer] : []))
    const result = (await this.#workers.run(task, transfer, signal).catch(() => undefined)) as CryptoTaskResult | undefined
    // Wipe plaintexts that were not transferred. A transferred buffer has length 0.
    if (task.inputs && task.inputs.bytes.length > 0) task.inputs.bytes.fill(0)
    if (result === undefined || !isValidResult(result, tasks.length)) return undefined
    try {
      return tasks.map((_, index) => resultOf(this.#verb, result, index))
    } finally {
      result.bytes?.bytes.fill(0)
    }
  }

  #task(tasks: readonly TransitOffloadTask<unknown>[]): CryptoTask {
    const indexes = new Map<VersionKey, number>()
    const convergent: number[] = []
    const indexOf = ({ key, derivation }: Pick<OffloadItem, 'key' | 'derivation'>): number => {
      const known = indexes.get(key)
      if (known !== undefined) return known
      convergent.push(derivation?.convergent ?? 0)
      indexes.set(key, indexes.size)
      return indexes.size - 1
    }
    const keyIndexes = tasks.map(indexOf)
    const isReseal = this.#verb === 'reseal'
    const { rules, hash } = this.#parameters
    return {
      verb: this.#verb,
      backend: this.#backend,
      type: this.#type,
      keyIndexes,
      sealKeyIndexes: isReseal ? tasks.map(({ to }) => indexOf(to as OffloadItem)) : [],
      keys: Array.from(indexes.keys(), (key) => key.shared),
      convergent,
      inputs: packBytes(tasks, ({ input }) => input),
      bodies: isReseal || this.#verb === 'open' ? tasks.map(({ body }) => body as string) : [],
      associated: packBytes(tasks, ({ associatedData }) => associatedData),
      contexts: packBytes(tasks, ({ derivation }) => derivation?.context),
      kdf: tasks[0]?.derivation?.kdf ?? 0,
      nonces: packBytes(tasks, ({ nonce }) => nonce),
      signatures: packBytes(tasks, ({ signature }) => signature),
      rules,
      hash,
    }
  }
}

/**
 * Returns undefined if the event loop must process all items. This is the case without worker threads, for managed keys, for a custom
 * backend, for verbs that use random numbers if the entropy source is custom, and for work that takes less time than its transfer.
 */
export function workersFor(
  env: Environment,
  type: KeyTypeName,
  verb: CryptoVerb,
  parameters: OffloadParameters = {},
): TransitWorkers | undefined {
  const { workers, crypto, entropy } = env
  if (!workers || keyType(type).isManaged || (!entropy.system && RANDOMIZED_VERBS.includes(verb))) return undefined
  const backend = builtInBackend(crypto)
  const made = backend && new TransitWorkers(env, workers, backend, type, verb, parameters)
  return made?.time.canBeLong ? made : undefined
}

/** Offloads a single item. */
function* offloadOne<T>(task: OffloadTask<T>): Steps<T> {
  const { worker, useResult, local } = task
  const [made] = (yield* awaitInSteps(worker.run([task], undefined))) ?? []
  if (made !== undefined) return useResult(made as never)
  const outcome = local()
  return isSteps(outcome) ? yield* outcome : outcome
}

/** The workers port may be a custom implementation, so its results are checked. */
function isValidResult({ outcomes, texts, bytes, publicKeys }: CryptoTaskResult, count: number): boolean {
  return (
    outcomes instanceof Uint8Array &&
    outcomes.length === count &&
    Array.isArray(texts) &&
    isPacked(bytes, count) &&
    isPacked(publicKeys, count)
  )
}

function resultOf(verb: CryptoVerb, { outcomes, texts, bytes, publicKeys }: CryptoTaskResult, index: number): unknown {
  if (outcomes[index] === OUTCOME_FAILED) return undefined
  if (verb === 'verify') return outcomes[index] === OUTCOME_DONE
  if (verb === 'seal' || verb === 'reseal') return typeof texts[index] === 'string' ? texts[index] : undefined
  const made = partOf(bytes, index).slice()
  if (verb !== 'sign') return made
  return publicKeys ? { bytes: made, publicKey: partOf(publicKeys, index).slice() } : { bytes: made }
}
