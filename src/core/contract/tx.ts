/**
 * What an operation sees of the kernel: the records of its own mount, and nothing else.
 */
import type { Allowance } from '../base/allowance.ts'
import type { Deadline } from '../base/deadline.ts'
import type { Entropy } from '../base/entropy.ts'
import type { Steps } from '../base/steps.ts'
import type { CryptoBackend, Wipeable } from '../crypto/backend.ts'
import type { Auth } from './auth-reply.ts'
import type { Caller } from './caller.ts'
import type { Counter, CounterKind } from './counter.ts'
import type { CommittedEvents, EventPlace } from './event.ts'
import type { Lane } from './lane.ts'
import type { Foreseen, Leased, LeaseTerms, LeaseWish } from './lease-terms.ts'
import type { LoginWish } from './login-terms.ts'
import type { MountRecord } from './mount-record.ts'
import type { NamespaceRecord } from './namespace.ts'
import type { Ports } from './ports.ts'
import type { RecordKind, SecretKind } from './record-kind.ts'

/** The cryptography of one item: a result, or for long input the steps to it. Runs after the commit, over pinned keys. */
export type Work<T> = () => T | Steps<T>

/** What every operation may use and none may change. */
export interface Environment {
  readonly crypto: CryptoBackend
  readonly entropy: Entropy
  /** In front of ciphertexts, signatures and HMACs: `<prefix>:v<version>:`. */
  readonly ciphertextPrefix: string
  /** Of the kernel's own headers: `<prefix>-Token`. */
  readonly headerPrefix: string
  /** Only what is certified: some types of keys are refused. */
  readonly fips: boolean
  readonly ports: Ports
  /** Aborted when the kernel closes. */
  readonly closing: AbortSignal
  /** Bounds calls of what a port has handed out. */
  readonly deadline: Deadline
}

export interface ListOptions {
  /** Only ids that begin so, relative to which they are then returned. */
  readonly prefix?: string
  /** Exclusive; need not exist. */
  readonly after?: string
  readonly limit?: number
  /** Folds everything behind its first occurrence into one name that ends with it. */
  readonly delimiter?: string
}

/** Milliseconds; absent: it was not due, or is no more. */
export interface DueMove {
  readonly from?: number | undefined
  readonly to?: number | undefined
  /** The part of the store the work is about, where that is another one: only the kernel's own operations know any. */
  readonly place?: string
}

/** How long what was made once is used: by the whole request, or until a commit meets a conflict and what it was made of is read again. */
export type Lasts = 'request' | 'attempt'

/**
 * Everything is synchronous. Reading what is not loaded ends the run by a private signal, which an operation must not catch; the
 * request layer loads and runs again.
 */
export interface Tx {
  readonly env: Environment
  /** On whose behalf and where. */
  readonly call: Call
  /** Milliseconds; the same throughout one run. */
  readonly now: number
  get<T>(kind: RecordKind<T>, id: string): T | undefined
  /** Ids in byte order. In a write only of guarded kinds, because a decision taken from the list must hold at the commit. */
  list<T>(kind: RecordKind<T>, options?: ListOptions): readonly string[]
  /**
   * Ids below a prefix to which nothing is added any more, because what they belong to was marked dead by an earlier commit; so a write
   * may rely on the list without a guard. What jobs clear away is found with it.
   * @param after Only ids behind it.
   */
  leftovers<T>(kind: RecordKind<T>, prefix: string, limit: number, after?: string): readonly string[]
  put<T>(kind: RecordKind<T>, id: string, value: T): void
  delete<T>(kind: RecordKind<T>, id: string): void
  /**
   * The usable form of a key version, pinned until the request ends. `build` makes it from bytes it is lent and from `context`.
   * Undefined when there is no such record.
   */
  secret<K extends Wipeable, C>(
    kind: SecretKind,
    owner: string,
    version: number,
    build: (bytes: Uint8Array, context: C) => K,
    context: C,
  ): K | undefined
  /** Stores key bytes. They belong to the transaction from here on, which wipes them. */
  putSecret(kind: SecretKind, owner: string, version: number, bytes: Uint8Array): void
  /**
   * {@link putSecret} by version, for an owner that nobody can refer to before this commit. Where there are many they are stored ahead, in
   * commits of bounded size, and cannot be read in this run; the work `id` of a lane clears them away should this commit not come.
   */
  putSecrets(kind: SecretKind, owner: string, secrets: ReadonlyMap<number, Uint8Array>, lane: Lane, id: string): void
  deleteSecret(kind: SecretKind, owner: string, version: number): void
  /** After the commit no request that comes later finds a key of this owner in the cache. */
  forget(owner: string): void
  /** The counter of a key version. It stays the same object for as long as the kernel is open: keep it beside the key. */
  counter(kind: CounterKind, owner: string, version: number): Counter
  /** Counts one use of a key version ahead of it; the last refusal in front of the use. @throws KernelError 400 at the limit */
  count(counter: Counter): void
  /** How often versions were used, never too low: in order of `versions`. */
  counted(kind: CounterKind, owner: string, versions: readonly number[]): readonly number[]
  /** {@link once} for long work, in pieces that give way to the event loop. What it reads that is not loaded makes it begin anew. */
  steps<T>(name: string, make: () => Steps<T>, lasts?: Lasts): T
  /** Costly, random or asked outside: made once, whatever the number of runs. */
  once<T>(name: string, make: () => Promise<T>, lasts?: Lasts): T
  /**
   * Moves work in the due index, in the commit of this transaction: from the time it was due to the time it is.
   */
  due(lane: Lane, id: string, move: DueMove): void
  /**
   * Leases the secret that this operation gives out, in its commit. To be asked for before anything is asked outside: the last use of a
   * token gets none, nor does a token that was revoked meanwhile. What it returns is part of the result, as `LEASED` declares it.
   * @throws KernelError 400 for a last use, 403 where the token is gone.
   */
  lease(wish: LeaseWish): Leased
  /**
   * What {@link lease} would come to now, without making it: for operations that act outside, before they do.
   * @throws KernelError as `lease`.
   */
  foreseeLease(terms: LeaseTerms): Foreseen
  /**
   * Makes the token of somebody whom this operation, of an auth method, lets in, in its commit. What it returns is the operation's result,
   * as `AUTH` declares it.
   * @throws KernelError 403 where the entity behind the alias is disabled, 400 where the settings come to a token that cannot be.
   */
  login(wish: LoginWish): Auth
  /**
   * What this mount may spend on callers who have shown no token, in a unit of its own: one for all requests, so that what is bounded is
   * what they cost together. Its engine gives the same figures every time.
   */
  allowance(perSecond: number, most: number): Allowance
  /**
   * Tells whoever listens, when this is committed. Never a value of a secret.
   * @param place Where it is not what this operation was asked for.
   */
  event<T extends keyof CommittedEvents>(type: T, data: CommittedEvents[T], place?: EventPlace): void
  /** Said in the reply's `warnings`. */
  warn(message: string): void
}

export interface WrapWish {
  /** Seconds, at least one. */
  readonly ttl: number
  readonly format: 'token' | 'jwt'
}

export interface Call {
  readonly caller: Caller
  /** Of the mount the path lies in. */
  readonly mount: MountRecord
  /** In which the path lies. */
  readonly namespace: NamespaceRecord
  /** From where it is asked, as far as that was told. */
  readonly remoteAddress?: string | undefined
  /** Below the namespace, without a slash at the end: `auth/token/create`. Empty for a typed read of the application. */
  readonly path: string
  /** The caller may do on this path what only `sudo` allows. */
  readonly sudo: boolean
  /** How the answer is to be wrapped, where that was asked for. */
  readonly wrap?: WrapWish | undefined
  /** The tick that this is part of; none of a request. */
  readonly tick?: object | undefined
  /** Judges the caller again inside the transaction, where what the judgement rests on may have changed since. */
  readonly recheck: ((tx: Tx) => void) | undefined
}
