/**
 * An operation's view of the kernel: the records of its own mount, and nothing else.
 */
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

/** The cryptography of one item: a result, or for long input the steps to it. Runs after the commit, over pinned keys. */
export type Work<T> = () => T | Steps<T>

/** The constants and services of a kernel that every operation may use. */
export interface Environment {
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  /** The prefix of ciphertexts, signatures and HMACs: `<prefix>:v<version>:`. */
  readonly ciphertextPrefix: string
  /** The prefix of the kernel's own headers: `<prefix>-Token`. */
  readonly headerPrefix: string
  /** Only approved algorithms: some key types are refused. */
  readonly fips: boolean
  readonly ports: Ports
  /** Aborted when the kernel closes. */
  readonly closing: AbortSignal
  /** Bounds calls of objects that a port has returned. */
  readonly deadline: Deadline
  /** Threads that compute beside the event loop, where the application gave any. */
  readonly workers?: WorkersLease | undefined
}

export interface ListOptions {
  /** Only ids with this prefix, which are returned relative to it. */
  readonly prefix?: string
  /** Exclusive lower bound; need not exist. */
  readonly after?: string
  readonly limit?: number
  /** Folds all ids that continue after the delimiter's first occurrence into one name that ends with it. */
  readonly delimiter?: string
}

/** Milliseconds; absent: it was not due before, or is not any more. */
export interface DueMove {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The place that the work is about, where it is another one: only the kernel's own operations use it. */
  readonly keyspace?: string
}

/**
 * How long the result of `once` or `steps` is used: for the whole request, or until a commit meets a conflict and its inputs are read
 * again.
 */
export type MemoScope = 'request' | 'attempt'

/** A record and its version, 0 if it is absent. */
export type RecordRead = readonly [key: string, version: number]

/** What a transaction has to know of a call, whichever service the call belongs to. */
export interface CallBase {
  readonly caller: { readonly kind: string }
  /** Events are told from this mount. */
  readonly mount: { readonly path: string }
  /** Events are told from this namespace. */
  readonly namespace: { readonly path: string }
  /** The tick that this is part of; undefined for a request. */
  readonly tick?: object | undefined
}

/**
 * What every service's operations may do. `C` is what the service knows of a call.
 *
 * All methods are synchronous. Reading a record that is not loaded ends the run by a private signal, which an operation must not
 * catch; the request layer loads the record and runs again.
 */
export interface TxOf<C> {
  readonly env: Environment
  /** The caller and the place of the request. */
  readonly call: C
  /** Milliseconds; the same throughout one run. */
  readonly now: number
  get<T>(kind: RecordKind<T>, id: string): T | undefined
  /** The read that {@link get} makes at this moment, for {@link dependOn}. */
  recordRead<T>(kind: RecordKind<T>, id: string): RecordRead
  /** The commit depends on these reads, as if this run had made them: steps read many records in pieces, and a run has only one piece. */
  dependOn(reads: Iterable<RecordRead>): void
  /** Ids in byte order. A write may list guarded kinds only, because a decision based on the list must hold at the commit. */
  list<T>(kind: RecordKind<T>, options?: ListOptions): readonly string[]
  /**
   * Ids below a prefix to which nothing is added any more, because an earlier commit marked their owner dead; so a write may rely on
   * the list without a guard. It includes records that jobs are clearing away.
   * @param after Only ids behind it.
   */
  listAbandoned<T>(kind: RecordKind<T>, prefix: string, limit: number, after?: string): readonly string[]
  put<T>(kind: RecordKind<T>, id: string, value: T): void
  delete<T>(kind: RecordKind<T>, id: string): void
  /**
   * The usable form of a key version, pinned until the request ends. `build` makes it from borrowed bytes and from `context`.
   * Undefined when there is no such record.
   */
  secret<K extends Wipeable, C>(
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array, context: C) => K,
    context: C,
  ): K | undefined
  /** Stores key bytes. The transaction owns them from here on and wipes them. */
  putSecret(kind: SecretKind, owner: string, version: number, bytes: Uint8Array): void
  /**
   * {@link putSecret} by version, for an owner that nobody can refer to before this commit. Many secrets are stored ahead, in commits of
   * bounded size, and cannot be read in this run; the work `id` of a lane clears them away if this commit fails.
   */
  putSecrets(kind: SecretKind, owner: string, secrets: ReadonlyMap<number, Uint8Array>, lane: Lane, id: string): void
  deleteSecret(kind: SecretKind, owner: string, version: number): void
  /** After the commit, later requests find no key of this owner in the cache. */
  forget(owner: string): void
  /** The counter of a key version. It stays the same object while the kernel is open: keep it beside the key. */
  counter(kind: CounterKind, owner: string, version: number): Counter
  /** Counts one use of a key version before the use; the last refusal in front of it. @throws KernelError 400 at the limit */
  countUse(counter: Counter): void
  /** How often versions were used, never too low; in the order of `versions`. */
  useCounts(kind: CounterKind, owner: string, versions: readonly number[]): readonly number[]
  /** Deletes the count of a key version that is deleted, and what other clusters have told of it. */
  deleteCounter(kind: CounterKind, owner: string, version: number): void
  /** {@link once} for long work, in pieces that give way to the event loop. Reading a record that is not loaded starts it again. */
  steps<T>(name: string, make: () => Steps<T>, lasts?: MemoScope): T
  /** For costly or random work and for calls outside: made once, however often the body runs. */
  once<T>(name: string, make: () => Promise<T>, lasts?: MemoScope): T
  /** Moves work in the due index, in the commit of this transaction: from its old time to its new one. */
  due(lane: Lane, id: string, move: DueMove): void
  /**
   * What this mount may spend on callers without a token, in a unit of its choice: one allowance for all requests, so that their total
   * is bounded. The engine gives the same figures every time.
   */
  allowance(perSecond: number, most: number): Allowance
  /**
   * Publishes an event when this is committed. It must not hold a value of a secret.
   * @param place The place of the event, where it is not the place of this operation.
   */
  event<T extends keyof CommittedEvents>(type: T, data: CommittedEvents[T], place?: EventPlace): void
  /** Adds a sentence to the reply's `warnings`. */
  warn(message: string): void
}

/** What operations of the secrets service may do. */
export interface Tx extends TxOf<Call> {
  /**
   * Leases the secret that this operation hands out, in its commit. Call it before anything outside: a token's last use gets no lease,
   * nor does a token revoked meanwhile. The result is part of the operation's result, as `LEASED` declares it.
   * @throws KernelError 400 for a last use, 403 where the token is gone.
   */
  lease(wish: LeaseRequest): Leased
  /**
   * The result that {@link lease} would give now, without making a lease: for operations that act outside, before they do.
   * @throws KernelError as `lease`.
   */
  previewLease(terms: LeaseTerms): LeasePreview
  /**
   * Makes the token of the caller whom this operation of an auth method lets in, in its commit. The result is the operation's result, as
   * `AUTH` declares it.
   * @throws KernelError 403 where the entity behind the alias is disabled, 400 where the settings give a token that cannot exist.
   */
  login(wish: LoginRequest): Auth
  /**
   * What is live at a path of this mount may be something else from this commit on. Costs nothing where nobody keeps it elsewhere, too.
   * @param path As `Engine.secrets` takes it.
   */
  secretChanged(path: string): void
}

export interface WrapRequest {
  /** Seconds, at least one. */
  readonly ttl: number
  readonly format: 'token' | 'jwt'
}

/** A request as policies judge it, for whoever has it judged elsewhere. */
export interface PolicyRequest {
  readonly verb: string
  readonly trailingSlash: boolean
  readonly captures: Readonly<Record<string, string>>
  /** Seconds; 0 means no wrapping. */
  readonly wrapTtl: number
  readonly parameters: () => SentParameters
}

/** A call of the secrets service. */
export interface Call extends CallBase {
  readonly caller: Caller
  /** The mount that the path lies in. */
  readonly mount: MountRecord
  /** The namespace that the path lies in. */
  readonly namespace: NamespaceRecord
  /** The caller's address, where known. */
  readonly remoteAddress?: string | undefined
  /** Relative to the namespace, without a slash at the end: `auth/token/create`. Empty for a typed read of the application. */
  readonly path: string
  /** Whether the caller has the capability `sudo` on this path. */
  readonly sudo: boolean
  /** How to wrap the answer, where wrapping was asked for. */
  readonly wrap?: WrapRequest | undefined
  /** The request of a caller with a token. */
  readonly policyRequest?: PolicyRequest | undefined
  /** Judges the caller again inside the transaction, where the basis of the judgement may have changed since. */
  readonly recheck: ((tx: Tx) => void) | undefined
  /** The request came by path, where operations answer as Vault does. A typed `create…` never replaces what exists. */
  readonly byPath?: true | undefined
  /** By a caller that cannot wait: nothing is done in steps. */
  readonly sync?: true
}
