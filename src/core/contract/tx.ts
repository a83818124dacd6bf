/** `tx`: the functions that an operation may use. They read and write the records of the operation's own mount. */
import type { Allowance } from '../base/allowance.ts'
import type { Steps } from '../base/steps.ts'
import type { Wipeable } from '../crypto/backend.ts'
import type { SentParameters } from '../policy/index.ts'
import type { Auth } from './auth-reply.ts'
import type { Caller } from './caller.ts'
import type { Counter, CounterKind } from './counter.ts'
import type { Environment } from './environment.ts'
import type { CommittedEvents, EventPlace } from './event.ts'
import type { Lane } from './lane.ts'
import type { Leased, LeasePreview, LeaseRequest, LeaseTerms } from './lease-terms.ts'
import type { LoginRequest } from './login-terms.ts'
import type { MountRecord } from './mount-record.ts'
import type { NamespaceRecord } from './namespace.ts'
import type { RecordKind, SecretKind } from './record-kind.ts'

/**
 * The cryptographic work for one item. It returns the result, or for long input a generator that yields to the event loop while it computes
 * the result. It runs after the commit; until it ends, the keys that it uses are not wiped.
 */
export type Work<T> = () => T | Steps<T>

export interface ListOptions {
  /** Return only ids with this prefix, without the prefix. */
  readonly prefix?: string
  /** Return only ids after this one, which need not exist. */
  readonly after?: string
  readonly limit?: number
  /**
   * Groups ids like the files of a folder: all ids that have the same part before the first delimiter and continue after it are listed as
   * one name, which ends in the delimiter.
   */
  readonly delimiter?: string
}

/**
 * Moves an item of the due index from the time `from` to the time `to`, in milliseconds since the epoch. Omit `from` if the item was not in
 * the index. Omit `to` to remove the item.
 */
export interface DueMove {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /**
   * The keyspace to which the work belongs. Default: the keyspace of the operation's mount. Only operations of the kernel itself may set
   * this member.
   */
  readonly keyspace?: string
}

/**
 * How long the memoized result of `once` or `steps` is used. `request`: for all runs of the operation. `attempt`: until a conflict, because
 * the next run then reads its inputs again.
 */
export type MemoScope = 'request' | 'attempt'

/** A record's key and version; version 0 means that the record does not exist. */
export type RecordRead = readonly [key: string, version: number]

/** The members of a call that transactions use. Calls of the kernel and calls of the configuration service both have them. */
export interface CallBase {
  readonly caller: { readonly kind: string }
  /** The mount that is named in events of this call. */
  readonly mount: { readonly path: string }
  /** The namespace that is named in events of this call. */
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
  /** Milliseconds since the epoch; constant during one run of the operation. */
  readonly now: number
  get<T>(kind: RecordKind<T>, id: string): T | undefined
  /** Returns the key and version of the record that {@link get} would read now, as an argument for {@link dependOn}. */
  recordRead<T>(kind: RecordKind<T>, id: string): RecordRead
  /**
   * Makes the commit depend on these reads as if this run of the operation had made them. Needed for a result of {@link steps} that was
   * computed from many records, because some of these records may have been read only during earlier runs.
   */
  dependOn(reads: Iterable<RecordRead>): void
  /**
   * Returns ids in byte order. An operation that writes must list only guarded kinds: for them, the commit conflicts if the list has
   * changed, so the operation can rely on the list.
   */
  list<T>(kind: RecordKind<T>, options?: ListOptions): readonly string[]
  /**
   * Returns the ids below a prefix whose owner was marked as deleted by an earlier commit. Since that commit, no record can be added below
   * the prefix, so an operation that writes can rely on the list although the kind is not guarded. The list can include records that a job
   * is just deleting.
   * @param after Return only ids after this one.
   */
  listAbandoned<T>(kind: RecordKind<T>, prefix: string, limit: number, after?: string): readonly string[]
  put<T>(kind: RecordKind<T>, id: string, value: T): void
  delete<T>(kind: RecordKind<T>, id: string): void
  /**
   * Returns the usable form of a key version, which is not wiped before the request ends; undefined if the record does not exist. `build`
   * creates the usable form from the key bytes and `context`. It must copy the bytes that it keeps.
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
   * Like {@link putSecret}, for many versions of one owner. Commits have a limited size, so most of the secrets are stored in separate
   * commits before the commit of this transaction. Before the last commit, the stored secrets cannot be read, and no record may refer to
   * the owner. If the last commit fails, the background work that is scheduled as `id` in `lane` must delete the stored secrets.
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
  /**
   * Like {@link once}, for work that yields to the event loop if it is long. Short work does not end the run: the first piece runs at once.
   * If the work reads a record that is not loaded, the work starts again.
   */
  steps<T>(name: string, make: () => Steps<T>, scope?: MemoScope): T
  /** Makes expensive or random work and outside calls only once: `make` is not called again when the operation runs again. */
  once<T>(name: string, make: () => Promise<T>, scope?: MemoScope): T
  /** Changes the time at which the background work `id` in `lane` is due, in the commit of this transaction. */
  due(lane: Lane, id: string, move: DueMove): void
  /**
   * Returns the mount's allowance for callers without a token. The engine chooses the unit. All requests to the mount share the allowance,
   * so the sum of their costs is limited. The engine must pass the same two values in every call.
   */
  allowance(perSecond: number, most: number): Allowance
  /**
   * Publishes an event as soon as the transaction has been committed. The event must not contain a secret.
   * @param type A type that the engine lists in its member `events`, or one of the kernel's own types, such as `auth_role.written`.
   * @param place The mount and namespace of the event. Default: those of the operation.
   * @throws TypeError if the engine does not list the type.
   */
  event<T extends keyof CommittedEvents>(type: T, data: CommittedEvents[T], place?: EventPlace): void
  /** Adds a sentence to the `warnings` of the reply. */
  warn(message: string): void
}

/** The functions of a transaction that operations of the kernel may use. */
export interface Tx extends TxOf<Call> {
  /**
   * Creates a lease for the secret that this operation returns, in the operation's commit. Call it before any outside call, because it
   * fails if the request is the last use of its token, or if the token was revoked after the request began. The operation's result must
   * contain the fields of the returned lease, which `LEASED` declares.
   * @throws KernelError 400 if the request is the last use of its token, or 403 if the token is no longer valid.
   */
  lease(request: LeaseRequest): Leased
  /**
   * Returns what {@link lease} would return now, without creating a lease. An operation with an outside call uses it before that call, so
   * that a request that would be refused changes nothing outside.
   * @throws KernelError for the same reasons as {@link lease}.
   */
  previewLease(terms: LeaseTerms): LeasePreview
  /**
   * Creates the token for a caller that an auth method has authenticated, in the operation's commit. The operation must return the result
   * of this method. `AUTH` declares its fields.
   * @throws KernelError 403 if the entity of the alias is disabled, or 400 if no token can have the requested settings.
   */
  login(request: LoginRequest): Auth
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

/**
 * The parts of a request that policies decide about. A secondary sends them with a forwarded request, so that the primary can authorize the
 * request again.
 */
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
  /**
   * The path, relative to the namespace, without a trailing slash: `auth/token/create`. Empty for a typed read by the application's own
   * code.
   */
  readonly path: string
  /** Whether the caller has the capability `sudo` for this path. */
  readonly sudo: boolean
  /** How to wrap the response, if wrapping was requested. */
  readonly wrap?: WrapRequest | undefined
  /** The parts of the request that policies decide about; undefined if the caller has no token. */
  readonly policyRequest?: PolicyRequest | undefined
  /** Authorizes the caller again inside the transaction. Present only if the decision depends on a record that may have changed. */
  readonly recheck: ((tx: Tx) => void) | undefined
  /**
   * Whether this is a call by path. Calls by path must behave as in Vault, and typed calls may differ: for example, a typed `create…` never
   * replaces an existing record.
   */
  readonly byPath?: true | undefined
  /** Whether this is a synchronous call, in which no work may yield to the event loop. */
  readonly sync?: true
}
