/**
 * Performs a task in a worker thread. Keys are built from shared memory for one task and wiped after the task. Between tasks a thread has
 * no keys in memory.
 */
import { decodeBase64, encodeBase64 } from '../../../core/base/base64.ts'
import { systemEntropy } from '../../../core/base/entropy.ts'
import { isSteps, runToEnd, type Steps, type StepsOutcome } from '../../../core/base/steps.ts'
import type { Environment } from '../../../core/contract/environment.ts'
import type { CryptoBackend, HashName } from '../../../core/crypto/backend.ts'
import type { BuiltInBackend } from '../../../core/crypto/built-in-backends.ts'
import { copyShared } from '../../../core/crypto/shared-bytes.ts'
import { keyType } from '../key-types/index.ts'
import type { Derivation, Encryptor, OpenJob, Signature, Signer, SignJob } from '../key-types/key-type.ts'
import { signJob } from '../key-types/sign-job.ts'
import { VersionKey } from '../material.ts'
import {
  type CryptoTask,
  type CryptoTaskResult,
  type CryptoVerb,
  OUTCOME_DONE,
  OUTCOME_FAILED,
  OUTCOME_INVALID,
} from './crypto-task.ts'
import { packBytes, partOf } from './packed-bytes.ts'

/** The result of one item: bytes, base64 text, or the result of a verification. Undefined if the item failed. */
type ItemResult = string | Uint8Array | boolean | Signature | undefined

/** Loads the code that the keys of a task need. Await it before {@link performTask}. */
export async function loadForTask({ type }: CryptoTask): Promise<void> {
  await Promise.all(keyType(type).code.map((code) => code.load()))
}

/** @throws TypeError for a malformed task */
export function performTask(task: CryptoTask, backends: Readonly<Record<BuiltInBackend, CryptoBackend>>): CryptoTaskResult {
  const keys = new TaskKeys(task, backends[task.backend])
  try {
    return taskResult(task.keyIndexes.map((_, index) => undefinedOnError(() => keys.item(index))))
  } finally {
    keys.clear()
    task.inputs?.bytes.fill(0)
  }
}

function undefinedOnError(work: () => ItemResult): ItemResult {
  try {
    return work()
  } catch {
    return undefined
  }
}

function taskResult(made: readonly ItemResult[]): CryptoTaskResult {
  const result = {
    outcomes: Uint8Array.from(made, (one) =>
      one === undefined ? OUTCOME_FAILED : one === false ? OUTCOME_INVALID : OUTCOME_DONE,
    ),
    texts:
      typeof made.find((one) => one !== undefined) === 'string' ? made.map((one) => (typeof one === 'string' ? one : '')) : [],
    bytes: packBytes(made, bytesOf),
    publicKeys: packBytes(made, (one) => (typeof one === 'object' && 'publicKey' in one ? one.publicKey : undefined)),
  }
  for (const one of made) bytesOf(one)?.fill(0)
  return result
}

function bytesOf(made: ItemResult): Uint8Array | undefined {
  if (typeof made !== 'object') return undefined
  return made instanceof Uint8Array ? made : made.bytes
}

/** The keys and parameters of one task. */
class TaskKeys {
  readonly #task: CryptoTask
  readonly #env: Environment
  readonly #keys: readonly (VersionKey | undefined)[]
  readonly #item: (index: number) => ItemResult

  constructor(task: CryptoTask, crypto: CryptoBackend) {
    this.#task = task
    // The cast is safe because the computations of key types use only these two members of the environment.
    this.#env = { crypto, entropy: systemEntropy() } as Environment
    const type = keyType(task.type)
    this.#keys = task.keys.map((memory) => {
      const stored = copyShared(memory)
      if (!stored) return undefined
      try {
        return new VersionKey(type, crypto, stored)
      } finally {
        stored.fill(0)
      }
    })
    const { encryptor, signer } = type
    const verbs: Readonly<Record<CryptoVerb, (index: number) => ItemResult>> = {
      seal: (index) => this.#seal(encryptor as Encryptor, index, task.keyIndexes, partOf(task.inputs, index)),
      open: (index) => this.#open(encryptor as Encryptor, index),
      reseal: (index) => this.#reseal(encryptor as Encryptor, index),
      sign: (index) => finishNow((signer as Signer).sign(this.#env, this.#key(task.keyIndexes, index), this.#job(index))),
      verify: (index) => {
        const signature = partOf(task.signatures, index)
        return finishNow((signer as Signer).verify(this.#env, this.#key(task.keyIndexes, index), this.#job(index), signature))
      },
      mac: (index) =>
        this.#key(task.keyIndexes, index)
          .mac(task.hash as HashName)
          .mac(partOf(task.inputs, index)),
    }
    this.#item = verbs[task.verb]
  }

  item(index: number): ItemResult {
    return this.#item(index)
  }

  clear(): void {
    for (const key of this.#keys) key?.wipe()
  }

  #seal(encryptor: Encryptor, index: number, under: readonly number[], plaintext: Uint8Array): string {
    const job = { ...this.#parameters(index, under), plaintext }
    return encodeBase64(finishNow(encryptor.seal(this.#env, this.#key(under, index), job)))
  }

  #open(encryptor: Encryptor, index: number): Uint8Array | undefined {
    const { keyIndexes: under, bodies } = this.#task
    const sealed = decodeBase64(bodies[index] as string, 'ciphertext')
    return finishNow(encryptor.open(this.#env, this.#key(under, index), { ...this.#parameters(index, under), sealed }))
  }

  #reseal(encryptor: Encryptor, index: number): string | undefined {
    const plaintext = this.#open(encryptor, index)
    if (!plaintext) return undefined
    try {
      return this.#seal(encryptor, index, this.#task.sealKeyIndexes, plaintext)
    } finally {
      plaintext.fill(0)
    }
  }

  #parameters(index: number, under: readonly number[]): Omit<OpenJob, 'sealed'> {
    const nonce = partOf(this.#task.nonces, index)
    return {
      associatedData: partOf(this.#task.associated, index),
      derivation: this.#derivation(index, under),
      nonce: nonce.length > 0 ? nonce : undefined,
      sync: true,
    }
  }

  #job(index: number): SignJob {
    const { rules, inputs, keyIndexes: under } = this.#task
    if (!rules) throw new TypeError('a task that signs or verifies must have rules')
    return signJob(rules, partOf(inputs, index), this.#derivation(index, under), true)
  }

  #derivation(index: number, under: readonly number[]): Derivation | undefined {
    const { contexts, kdf, convergent } = this.#task
    if (!contexts) return undefined
    return { kdf, context: partOf(contexts, index), convergent: convergent[under[index] as number] as number }
  }

  #key(under: readonly number[], index: number): VersionKey {
    const key = this.#keys[under[index] as number]
    if (!key) throw new TypeError('this key has been wiped')
    return key
  }
}

/** Runs the generator to its end without a pause: with these backends, it never has to wait. */
function finishNow<T>(outcome: StepsOutcome<T>): T {
  return isSteps(outcome as T | Steps<T>) ? runToEnd(outcome as Steps<T>) : (outcome as T)
}
