/** A transit key and its loaded versions during one request, and the functions that store new versions. */
import { EMPTY } from '../../core/base/bytes.ts'
import { DeferredCode } from '../../core/base/deferred-code.ts'
import { invalid, notFound } from '../../core/base/errors.ts'
import { uuid } from '../../core/base/identifiers.ts'
import { isSteps, mapOutcome, type Steps, type StepsOutcome } from '../../core/base/steps.ts'
import type { Environment } from '../../core/contract/environment.ts'
import type { Tx, Work } from '../../core/contract/tx.ts'
import { loadAll } from '../../core/transaction/load-all.ts'
import { ENCRYPTIONS } from './encryptions.ts'
import { checkFips, keyType } from './key-types/index.ts'
import { assertLoaded, type Derivation, type KeyType } from './key-types/key-type.ts'
import type { NewKey } from './key-types/new-key.ts'
import { encodeMaterial, VersionKey } from './material.ts'
import type { ManagedKeyRef } from './port.ts'
import { addKeyVersion, emptyRing, MATERIAL, materialOwner, RING, type Ring, type RingOptions, rotationDue } from './ring.ts'
import { formOf, type TextForm } from './text.ts'
import type { CryptoVerb } from './thread/crypto-task.ts'
import type { OffloadParameters } from './thread/offload-item.ts'
import type { TransitWorkers } from './thread/transit-workers.ts'

/** Only kernels with worker threads load it. */
const WORKERS = /* @__PURE__ */ new DeferredCode('worker threads', () => import('./thread/transit-workers.ts'))

const MAC_KEY_BYTES = 32

/** The maximum length of a context, far more than applications need. Without a limit, deriving the keys for one request could take seconds. */
const MAX_CONTEXT_BYTES = 131_072

const VERSIONS_LOADED_TOGETHER = 256

export class RingKeys {
  readonly env: Environment
  readonly ring: Ring
  readonly type: KeyType
  /** The text form of the ciphertexts and signatures of this key. */
  readonly form: TextForm
  /** True for a synchronous call. */
  readonly sync: true | undefined
  /** Worker threads for the items; undefined if the event loop processes them. */
  readonly workers: TransitWorkers | undefined
  readonly #tx: Tx
  #last: VersionKey | undefined
  #lastVersion = 0
  /**
   * The number of calls to external systems so far. Each result is kept under a name that contains this number. Items have the same order
   * in every run, so a rerun finds the results of the previous run.
   */
  managedCalls = 0

  /** @param verb The computation that worker threads may perform for the items. If it is absent, the event loop processes all items. */
  constructor(tx: Tx, ring: Ring, verb?: CryptoVerb, parameters?: OffloadParameters) {
    this.#tx = tx
    this.env = tx.env
    this.sync = tx.call.sync
    this.ring = ring
    this.type = keyType(ring.type)
    this.form = formOf(ring.version_template, tx.env.ciphertextPrefix)
    this.workers = verb && tx.env.workers && !this.sync ? WORKERS.code.workersFor(tx.env, ring.type, verb, parameters) : undefined
  }

  /**
   * Loads the key of a version, and the program code for its elliptic curve, so that computations after the commit can use them. The caller
   * has checked that the version may be used.
   */
  version(version: number): VersionKey {
    if (this.#last && this.#lastVersion === version) return this.#last
    checkFips(this.env, this.ring.type)
    assertLoaded(this.type)
    const key = this.#tx.secret(MATERIAL, materialOwner(this.ring, version), version, buildKey, this)
    if (!key) throw notFound('key_version: no such key version', 400)
    this.#last = key
    this.#lastVersion = version
    return key
  }

  /**
   * Loads these versions in groups and yields to the event loop between the groups. Later calls of {@link version} return the loaded
   * versions.
   */
  load(versions: readonly number[]): void {
    for (let at = 0; at < versions.length; at += VERSIONS_LOADED_TOGETHER) {
      const some = versions.slice(at, at + VERSIONS_LOADED_TOGETHER)
      this.#tx.steps(`keys of ${this.ring.id} behind ${at}`, () => this.#loadSome(some), 'attempt')
    }
  }

  /**
   * Returns the key of a version for one encryption. Call it after all other checks: for types with random nonces, it also counts the
   * encryption.
   * @throws KernelError 400 if the version has reached its limit of encryptions
   */
  sealing(version: number, derivation: Derivation | undefined): VersionKey {
    const key = this.version(version)
    if (this.type.encryptor?.counted && !derivation?.convergent) {
      key.encryptions ??= this.#tx.counter(ENCRYPTIONS, this.ring.id, version)
      this.#tx.countUse(key.encryptions)
    }
    return key
  }

  /**
   * Returns the computation for one item. The computation runs after the commit, except for a call to an external system: that call is made
   * before the commit, and the request waits for it.
   * @param job The arguments of `make` and `use`. If all items share the two functions, no closure is allocated per item.
   */
  work<J, A, B>(job: J, make: (job: J) => StepsOutcome<A>, use: (made: A, job: J) => B): Work<B> {
    if (!this.type.isManaged)
      return () => {
        const made = make(job) as A | Steps<A>
        return isSteps(made) ? mapOutcome(made, (result) => use(result, job)) : use(made, job)
      }
    const made = this.#tx.once(`outside ${this.managedCalls++}`, async () => make(job) as Promise<A>)
    // The result of `tx.once` is wiped when the request ends, so use a copy.
    return () => use(made instanceof Uint8Array ? (made.slice() as A & Uint8Array) : made, job)
  }

  /**
   * Returns how to derive the key of one call from the key of the version; undefined if the named key is not derived.
   * @throws KernelError 400 if the context is missing or too long
   */
  derivation(version: number, context: Uint8Array): Derivation | undefined {
    const { ring } = this
    if (!ring.derived) return undefined
    if (context.length === 0) throw invalid('context: is required, because this key is derived')
    if (context.length > MAX_CONTEXT_BYTES) throw invalid(`context: must be at most ${MAX_CONTEXT_BYTES} bytes`)
    if (!ring.convergent_encryption) return { kdf: ring.kdf, context, convergent: 0 }
    const own = ring.versions[version]?.convergent_version ?? 0
    return { kdf: ring.kdf, context, convergent: own || Math.max(1, ring.convergent_version) }
  }

  *#loadSome(versions: readonly number[]): Steps<void> {
    loadAll(versions, (version) => this.version(version))
    yield
  }
}

const buildKey = (stored: Uint8Array, { type, env }: RingKeys): VersionKey => new VersionKey(type, env.crypto, stored)

/**
 * Returns the record of a named key, whether or not it is soft-deleted.
 * @throws KernelError 400 if there is no such key, the status that Vault returns here
 */
export function ringNamed(tx: Tx, name: string, parameter = 'name'): Ring {
  const ring = tx.get(RING, name)
  if (!ring) throw notFound(`${parameter}: there is no key named ${name}`, 400)
  return ring
}

/**
 * Returns the key of {@link ringNamed} with access to its versions. Whether the key may be used is checked later, when a version is
 * selected.
 * @throws KernelError 400 if there is no such key
 */
export const ringInUse = (tx: Tx, name: string, verb?: CryptoVerb, parameters?: OffloadParameters): RingKeys =>
  new RingKeys(tx, ringNamed(tx, name), verb, parameters)

/** Returns a new random id, under which the key records of a new key are stored. */
export const newRingId = (tx: Tx): string => uuid(tx.env.entropy.bytes(16))

/** Generates version 1 and stores the key. */
export function createRing(tx: Tx, options: Omit<RingOptions, 'id'>, ref?: ManagedKeyRef): Ring {
  const ring = storeNewVersion(tx, emptyRing({ ...options, id: newRingId(tx) }), ref)
  tx.event('key.created', { name: ring.name, key_type: ring.type })
  return ring
}

/** Generates and stores the next version. @param ref Identifies the external key, for managed keys. */
export function storeNewVersion(tx: Tx, ring: Ring, ref?: ManagedKeyRef): Ring {
  checkFips(tx.env, ring.type)
  const type = keyType(ring.type)
  assertLoaded(type)
  return storeVersion(tx, ring, type.generate(tx, ring.key_size, ref), false)
}

/** The key of a new version, generated or imported. */
interface VersionSource extends NewKey {
  /** Whether `key` is a public key, in the form that `openPublic` takes. */
  readonly publicOnly?: boolean
}

/** Stores a key as the next version, together with the changed ring and the due time of its next automatic rotation. Wipes `key`. */
export function storeVersion(tx: Tx, ring: Ring, { key, publicKey, publicOnly }: VersionSource, imported: boolean): Ring {
  checkFips(tx.env, ring.type)
  const type = keyType(ring.type)
  const next = addKeyVersion(ring, tx.now, publicKey, imported)
  const macKey = type.macOnly ? key : tx.env.entropy.bytes(MAC_KEY_BYTES)
  tx.putSecret(MATERIAL, next.id, next.latest_version, encodeMaterial(macKey, type.macOnly ? EMPTY : key, publicOnly))
  key.fill(0)
  macKey.fill(0)
  storeRing(tx, ring, next)
  return next
}

/** Stores a changed ring and the due time of its next automatic rotation. */
export function storeRing(tx: Tx, before: Ring, after: Ring): void {
  tx.put(RING, after.name, after)
  tx.due('rotation', after.name, { from: rotationDue(before), to: rotationDue(after) })
}
