/** `tx`: the functions that an operation may use. They read and write the records of the operation's own mount. */
import type { Allowance } from '../base/allowance.ts'
import type { Deadline } from '../base/deadline.ts'
import type { Entropy } from '../base/entropy.ts'
import type { Steps } from '../base/steps.ts'
import type { CryptoBackend, Wipeable } from '../crypto/backend.ts'
import type { SentParameters } from '../policy/index.ts'
import type { Auth } from './auth-reply.ts'
import type { Caller } from './caller.ts'
import type { Counter, CounterKind } from './counter.ts'
import type { CommittedEvents, EventPlace } from './event.ts'
import type { Lane } from './lane.ts'
import type { Leased, LeasePreview, LeaseRequest, LeaseTerms } from './lease-terms.ts'
import type { LoginRequest } from './login-terms.ts'
import type { MountRecord } from './mount-record.ts'
import type { NamespaceRecord } from './namespace.ts'
import type { Ports } from './ports.ts'
import type { RecordKind, SecretKind } from './record-kind.ts'
import type { WorkersLease } from './workers-port.ts'

/**
 * The cryptographic work for one item. It returns the result, or for long input a generator of steps. It runs after the commit, with pinned
 * keys.
 */
export type Work<T> = () => T | Steps<T>

/** The constants and services of a kernel that operations may use. */
export interface Environment {
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  /** The prefix of ciphertexts, signatures and HMACs: `<prefix>:v<version>:`. */
  readonly ciphertextPrefix: string
  /** The prefix of the kernel's own headers: `<prefix>-Token`. */
  readonly headerPrefix: string
  /** Whether only FIPS-approved algorithms are allowed. Some key types are then refused. */
  readonly fips: boolean
  readonly ports: Ports
  /** Aborted when the kernel is closed. */
  readonly closing: AbortSignal
  /** Limits the duration of calls to methods of objects that a port returned. */
  readonly deadline: Deadline
  /** Worker threads, if the application provides any. */
  readonly workers?: WorkersLease | undefined
}

export interface ListOptions {
  /** Return only ids with this prefix, without the prefix. */
  readonly prefix?: string
  /** Return only ids after this one, which need not exist. */
  readonly after?: string
  readonly limit?: number
  /** Replaces all ids that continue after the first delimiter by one name that ends in the delimiter. */
  readonly delimiter?: string
}

/**
 * A change of the time at which an item is due, in milliseconds since the epoch. `from` absent: the item was not due before. `to` absent:
 * the item is no longer due.
 */
export interface DueMove {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The keyspace to which the work belongs, if it is not the operation's own keyspace. Only operations of the kernel itself may set it. */
  readonly keyspace?: string
}

/**
 * How long the memoized result of `once` or `steps` is used: for the whole request, or until a conflict makes the body read its inputs
 * again.
 */
export type MemoScope = 'request' | 'attempt'

/** A record's key and version; version 0 means that the record does not exist. */
export type RecordRead = readonly [key: string, version: number]

/** The parts of a call that transactions use, in the kernel and in the configuration service. */
export interface CallBase {
  readonly caller: { readonly kind: string }
  /** The mount that events of the call name. */
  readonly mount: { readonly path: string }
  /** The namespace that events of the call name. */
  readonly namespace: { readonly path: string }
  /** The tick to which the call belongs; undefined for a request. */
  readonly tick?: object | undefined
}

/**
 * The functions of a transaction that operations of every service may use. `C` is the service's type for calls.
 *
 * All methods are synchronous. Reading a record that is not loaded throws a private signal, which the operation must not catch. The record
 * is then loaded, and the operation runs again.
 */
export interface TxOf<C> {
  readonly env: Environment
  /** The caller, mount and namespace of the request. */
  readonly call: C
  /** Milliseconds since the epoch; constant during one run. */
  readonly now: number
  get<T>(kind: RecordKind<T>, id: string): T | undefined
  /** The key and version of the record that {@link get} would read now, for {@link dependOn}. */
  recordRead<T>(kind: RecordKind<T>, id: string): RecordRead
  /** Makes the commit depend on these reads as if this run had made them. For work in steps, which reads many records over several runs. */
  dependOn(reads: Iterable<RecordRead>): void
  /**
   * Returns ids in byte order. A write may list guarded kinds only, because a decision that is based on the list must still be right when
   * the commit is applied.
   */
  list<T>(kind: RecordKind<T>, options?: ListOptions): readonly string[]
  /**
   * Returns the ids below a prefix whose owner an earlier commit marked as deleted. Since that commit, no record can be added below the
   * prefix, so a write may rely on the list although the folder has no guard. The list includes records that jobs are still deleting.
   * @param after Return only ids after this one.
   */
  listAbandoned<T>(kind: RecordKind<T>, prefix: string, limit: number, after?: string): readonly string[]
  put<T>(kind: RecordKind<T>, id: string, value: T): void
  delete<T>(kind: RecordKind<T>, id: string): void
  /**
   * Returns the usable form of a key version, pinned until the request ends; undefined if the record does not exist. `build` creates the
   * usable form from lent bytes and `context`.
   */
  secret<K extends Wipeable, C>(
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array, context: C) => K,
    context: C,
  ): K | undefined
  /** Stores key bytes. The transaction takes ownership of the bytes and wipes them. */
  putSecret(kind: SecretKind, owner: string, version: number, bytes: Uint8Array): void
  /**
   * Like {@link putSecret}, for many versions of one owner. Nothing may refer to the owner before this commit. Most of the secrets are stored
   * in advance, in commits of bounded size, and cannot be read in this run. If this commit fails, the due item `id` of the lane deletes them.
   */
  putSecrets(kind: SecretKind, owner: string, secrets: ReadonlyMap<number, Uint8Array>, lane: Lane, id: string): void
  deleteSecret(kind: SecretKind, owner: string, version: number): void
  /** Removes the keys of the owner from the cache after the commit, so that later requests do not find them. */
  forget(owner: string): void
  /** Returns the counter of a key version: the same object as long as the kernel is open. Store it together with the key. */
  counter(kind: CounterKind, owner: string, version: number): Counter
  /**
   * Counts one use of a key version. Call it before the use, and after all other checks that may refuse the operation. @throws KernelError
   * 400 if the limit of uses is reached.
   */
  countUse(counter: Counter): void
  /** Returns how many times each version was used, in the order of `versions`. A count may be too high, but never too low. */
  useCounts(kind: CounterKind, owner: string, versions: readonly number[]): readonly number[]
  /** Deletes the counter of a deleted key version, including counts that other clusters reported. */
  deleteCounter(kind: CounterKind, owner: string, version: number): void
  /** Like {@link once}, for long work that runs in slices. If the work reads a record that is not loaded, the work starts again. */
  steps<T>(name: string, make: () => Steps<T>, lasts?: MemoScope): T
  /** Memoizes expensive or random work and outside calls: `make` runs once, even if the body runs several times. */
  once<T>(name: string, make: () => Promise<T>, lasts?: MemoScope): T
  /** Changes the time of an item in the due index, in the commit of this transaction. */
  due(lane: Lane, id: string, move: DueMove): void
  /**
   * The mount's allowance for callers without a token, in a unit that the engine chooses. All requests share the allowance, so their total
   * is bounded. The engine must pass the same two values in every call.
   */
  allowance(perSecond: number, most: number): Allowance
  /**
   * Publishes an event after the commit. The event must not contain a secret.
   * @param place The mount and namespace of the event. Default: those of the operation.
   */
  event<T extends keyof CommittedEvents>(type: T, data: CommittedEvents[T], place?: EventPlace): void
  /** Adds a sentence to the `warnings` of the reply. */
  warn(message: string): void
}

/** The functions of a transaction that operations of the kernel may use. */
export interface Tx extends TxOf<Call> {
  /**
   * Creates a lease for the secret that this operation returns, in the operation's commit. Call it before any outside call, because it
   * fails for the last use of a token and for a token that was revoked after the request began. The operation's result must contain the
   * returned lease, as `LEASED` declares.
   * @throws KernelError 400 for the last use of a token, 403 if the token is no longer valid.
   */
  lease(wish: LeaseRequest): Leased
  /**
   * Returns what {@link lease} would return now, without creating a lease. Operations with outside work call it before that work, so that a
   * refusal is found before anything is done outside.
   * @throws KernelError as `lease`.
   */
  previewLease(terms: LeaseTerms): LeasePreview
  /**
   * Creates the token for a caller that an auth method has authenticated, in the operation's commit. The operation must return the result
   * of this method, as `AUTH` declares.
   * @throws KernelError 403 if the entity of the alias is disabled, 400 if no token can have these settings.
   */
  login(wish: LoginRequest): Auth
  /**
   * Reports that the current version of the secret at a path of this mount may have changed. Does nothing if secret sync does not use the
   * mount.
   * @param path The path, in the form that the functions in `Engine.secrets` expect.
   */
  secretChanged(path: string): void
}

export interface WrapRequest {
  /** Seconds, at least 1. */
  readonly ttl: number
  readonly format: 'token' | 'jwt'
}

/** A request in the form in which policies are applied to it, for a primary that authorizes a forwarded request. */
export interface PolicyRequest {
  readonly verb: string
  readonly trailingSlash: boolean
  readonly captures: Readonly<Record<string, string>>
  /** Seconds; 0 means no wrapping. */
  readonly wrapTtl: number
  readonly parameters: () => SentParameters
}

/** A call of the kernel. */
export interface Call extends CallBase {
  readonly caller: Caller
  /** The mount to which the path belongs. */
  readonly mount: MountRecord
  /** The namespace to which the path belongs. */
  readonly namespace: NamespaceRecord
  /** The caller's address, if known. */
  readonly remoteAddress?: string | undefined
  /** The path, relative to the namespace, without a trailing slash: `auth/token/create`. Empty for a trusted typed read. */
  readonly path: string
  /** Whether the caller has the capability `sudo` for this path. */
  readonly sudo: boolean
  /** How to wrap the response, if wrapping was requested. */
  readonly wrap?: WrapRequest | undefined
  /** The request, if the caller has a token. */
  readonly policyRequest?: PolicyRequest | undefined
  /** Authorizes the caller again inside the transaction, if the decision depends on a record that may have changed. */
  readonly recheck: ((tx: Tx) => void) | undefined
  /** Whether this is a call by path, which must behave as in Vault. For example, a typed `create…` never replaces an existing record. */
  readonly byPath?: true | undefined
  /** Whether this is a synchronous call, in which no work may run in steps. */
  readonly sync?: true
}
