/** `tx`: what an operation may do, on the records of its own mount. */
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
 * The cryptographic work of one item: it returns the result, or for long input a generator of steps. Runs after the commit, with pinned
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
  /** Whether only FIPS-approved algorithms are allowed, so that some key types are refused. */
  readonly fips: boolean
  readonly ports: Ports
  /** Aborted when the kernel closes. */
  readonly closing: AbortSignal
  /** Bounds the calls of objects that a port returned. */
  readonly deadline: Deadline
  /** Worker threads, if the application provides any. */
  readonly workers?: WorkersLease | undefined
}

export interface ListOptions {
  /** Only ids with this prefix. The prefix is removed from the results. */
  readonly prefix?: string
  /** Exclusive lower bound; it need not exist. */
  readonly after?: string
  readonly limit?: number
  /** Groups all ids that continue after the first delimiter into one name that ends in the delimiter. */
  readonly delimiter?: string
}

/** Milliseconds since the epoch. `from` absent: it was not due before; `to` absent: it is not due any more. */
export interface DueMove {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The keyspace that the work is about, if it is another one. Only for the kernel's own operations. */
  readonly keyspace?: string
}

/**
 * How long the result of `once` or `steps` is used: for the whole request, or only until a conflict makes the body read its inputs again.
 */
export type MemoScope = 'request' | 'attempt'

/** A record's key and version; version 0 if it is absent. */
export type RecordRead = readonly [key: string, version: number]

/** The parts of a call that transactions use, in the kernel and in the configuration service. */
export interface CallBase {
  readonly caller: { readonly kind: string }
  /** The mount of the call's events. */
  readonly mount: { readonly path: string }
  /** The namespace of the call's events. */
  readonly namespace: { readonly path: string }
  /** The tick that the call is part of; undefined for a request. */
  readonly tick?: object | undefined
}

/**
 * The functions of a transaction that operations of every service may use. `C` is the service's type of a call.
 *
 * All methods are synchronous. If a record is not loaded, reading it throws a private signal that the operation must not catch; the record
 * is then loaded and the operation runs again.
 */
export interface TxOf<C> {
  readonly env: Environment
  /** The caller, mount and namespace of the request. */
  readonly call: C
  /** Milliseconds since the epoch; constant during one run. */
  readonly now: number
  get<T>(kind: RecordKind<T>, id: string): T | undefined
  /** The key and version that {@link get} reads now, for {@link dependOn}. */
  recordRead<T>(kind: RecordKind<T>, id: string): RecordRead
  /** Makes the commit depend on these reads as if this run had made them. For steps, which read many records over several runs. */
  dependOn(reads: Iterable<RecordRead>): void
  /** Ids in byte order. A write may list only guarded kinds, because a decision based on the list must still hold at the commit. */
  list<T>(kind: RecordKind<T>, options?: ListOptions): readonly string[]
  /**
   * Ids below a prefix to which nothing can be added any more, because an earlier commit marked their owner as deleted. A write may
   * therefore rely on the list without a guard. It includes records that jobs are still deleting.
   * @param after Only ids after this one.
   */
  listAbandoned<T>(kind: RecordKind<T>, prefix: string, limit: number, after?: string): readonly string[]
  put<T>(kind: RecordKind<T>, id: string, value: T): void
  delete<T>(kind: RecordKind<T>, id: string): void
  /**
   * The usable form of a key version, pinned until the request ends. `build` makes it from lent bytes and `context`. Undefined if there is
   * no such record.
   */
  secret<K extends Wipeable, C>(
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array, context: C) => K,
    context: C,
  ): K | undefined
  /** Stores key bytes. The transaction owns the bytes afterwards and wipes them. */
  putSecret(kind: SecretKind, owner: string, version: number, bytes: Uint8Array): void
  /**
   * {@link putSecret} for many versions of an owner that nothing refers to before this commit. Most secrets are stored in advance, in
   * commits of bounded size, and cannot be read in this run. If this commit fails, the due item `id` of the lane deletes them.
   */
  putSecrets(kind: SecretKind, owner: string, secrets: ReadonlyMap<number, Uint8Array>, lane: Lane, id: string): void
  deleteSecret(kind: SecretKind, owner: string, version: number): void
  /** Removes the owner's keys from the cache after the commit, so that later requests do not find them. */
  forget(owner: string): void
  /** The counter of a key version. It stays the same object while the kernel is open, so keep it with the key. */
  counter(kind: CounterKind, owner: string, version: number): Counter
  /** Counts one use of a key version. Call it before the use and after all other refusals. @throws KernelError 400 at the limit */
  countUse(counter: Counter): void
  /** How often each version was used, in the order of `versions`. Never too low. */
  useCounts(kind: CounterKind, owner: string, versions: readonly number[]): readonly number[]
  /** Deletes the counter of a deleted key version, including the counts that other clusters reported. */
  deleteCounter(kind: CounterKind, owner: string, version: number): void
  /** {@link once} for long work, in slices. If it reads a record that is not loaded, it starts again. */
  steps<T>(name: string, make: () => Steps<T>, lasts?: MemoScope): T
  /** Memoizes costly or random work and outside calls: `make` runs once, however often the body runs. */
  once<T>(name: string, make: () => Promise<T>, lasts?: MemoScope): T
  /** Moves an item of the due index from its old time to its new one, in this transaction's commit. */
  due(lane: Lane, id: string, move: DueMove): void
  /**
   * The mount's allowance for callers without a token, in a unit that the engine chooses. All requests share it, so their total is bounded.
   * The engine must pass the same numbers every time.
   */
  allowance(perSecond: number, most: number): Allowance
  /**
   * Publishes an event after the commit. It must not contain a secret value.
   * @param place Where the event happened. Default: the mount and namespace of the operation.
   */
  event<T extends keyof CommittedEvents>(type: T, data: CommittedEvents[T], place?: EventPlace): void
  /** Adds a sentence to the `warnings` of the reply. */
  warn(message: string): void
}

/** The functions of a transaction that operations of the kernel may use. */
export interface Tx extends TxOf<Call> {
  /**
   * Creates a lease for the secret that this operation returns, in its commit. Call it before any outside call, because it fails for a
   * token's last use and for a token that was revoked in the meantime. Its result is part of the operation's result, as `LEASED` declares.
   * @throws KernelError 400 for a last use, 403 if the token is no longer valid.
   */
  lease(wish: LeaseRequest): Leased
  /**
   * The result that {@link lease} would have now, without creating a lease. For operations with outside work, before they do it.
   * @throws KernelError as `lease`.
   */
  previewLease(terms: LeaseTerms): LeasePreview
  /**
   * Creates the token of a caller that an auth method has authenticated, in the operation's commit. The result is the operation's result,
   * as `AUTH` declares.
   * @throws KernelError 403 if the alias's entity is disabled, 400 if the settings describe an impossible token.
   */
  login(wish: LoginRequest): Auth
  /**
   * Reports that the live secret at a path of this mount may have changed. Costs nothing if the mount is not synchronized.
   * @param path In the form that `Engine.secrets` takes.
   */
  secretChanged(path: string): void
}

export interface WrapRequest {
  /** Seconds, at least 1. */
  readonly ttl: number
  readonly format: 'token' | 'jwt'
}

/** A request as policies see it, for a primary that decides about a forwarded request. */
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
  /** The mount of the path. */
  readonly mount: MountRecord
  /** The namespace of the path. */
  readonly namespace: NamespaceRecord
  /** The caller's address, if known. */
  readonly remoteAddress?: string | undefined
  /** Relative to the namespace, without a slash at the end: `auth/token/create`. Empty for a trusted typed read. */
  readonly path: string
  /** Whether the caller has the capability `sudo` on this path. */
  readonly sudo: boolean
  /** How to wrap the answer, if requested. */
  readonly wrap?: WrapRequest | undefined
  /** The request of a caller with a token. */
  readonly policyRequest?: PolicyRequest | undefined
  /** Authorizes the caller again inside the transaction, if the decision depended on a record that may have changed. */
  readonly recheck: ((tx: Tx) => void) | undefined
  /** Set for path calls, which behave as in Vault. A typed `create…` never replaces an existing record. */
  readonly byPath?: true | undefined
  /** Set for synchronous calls: nothing may be done in steps. */
  readonly sync?: true
}
