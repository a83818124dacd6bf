/**
 * Calls to the cluster. A call goes to the member that answered last. After a failure it goes to the next member, until a member answers or
 * the time is over.
 */
import { Attempts } from './attempts.ts'
import { EtcdError, isTokenRefused } from './failures.ts'
import { frameOf, REQUESTS_PER_ANSWER } from './frames.ts'
import { type CallLimits, Member, type Watching } from './member.ts'
import {
  type Header,
  passwordRequest,
  type RangeAnswer,
  type RangeRequest,
  rangeRequest,
  readAuthToken,
  readRange,
  readTxn,
  type Txn,
  type TxnAnswer,
  txnRequest,
  watchRequest,
} from './messages.ts'
import type { checkedOptions } from './options.ts'
import type { ProtoReader } from './protobuf.ts'

type ClientOptions = Pick<
  ReturnType<typeof checkedOptions>,
  'hosts' | 'tls' | 'login' | 'timeoutMs' | 'signal' | 'maxRequestBytes'
>

/**
 * How long a member may be silent before the next member is called. After a few rounds over all members, the limit doubles with each round.
 * A leader that dies loses the requests in flight without an error, so a leader change costs this time in addition to the election.
 */
const FIRST_SILENCE_MS = 250
const SHORT_ROUNDS = 3

/** If less time than this is left, do not start another attempt: it could end before a healthy member answers, so it would prove nothing. */
const MIN_SILENCE_MS = 20

/** The first and the longest pause after a round in which all members have failed. Jitter shortens each pause by up to half. */
const FIRST_PAUSE_MS = 15
const MAX_PAUSE_MS = 100

export const pauseMs = (round: number): number => Math.min(MAX_PAUSE_MS, FIRST_PAUSE_MS * 2 ** round) * (0.5 + Math.random() / 2)

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms))

const ABORTED = 'the signal of the storage was aborted'

type Work<T> = (member: Member, patience: CallLimits) => Promise<T>

export class EtcdClient {
  readonly #members: readonly Member[]
  readonly #options: ClientOptions
  /** The member that is called first. It is chosen at random, so that the processes of a store spread over the members. */
  #at: number
  #token: Promise<string> | undefined
  #revision = 0
  #cluster: { readonly id: number; readonly member: string } | undefined
  /** Aborts calls in flight immediately. */
  readonly #abort = (): void => {
    for (const member of this.#members) member.close(ABORTED)
  }

  constructor(options: ClientOptions) {
    this.#options = options
    const maxMessageBytes = REQUESTS_PER_ANSWER * options.maxRequestBytes
    this.#members = options.hosts.map((host) => new Member(host, options.tls, maxMessageBytes))
    this.#at = Math.floor(Math.random() * this.#members.length)
    options.signal?.addEventListener('abort', this.#abort)
  }

  /** The newest cluster revision in any answer so far. */
  get revision(): number {
    return this.#revision
  }

  /** A linearizable read. @throws ClusterUnavailable, EtcdError */
  range(range: RangeRequest): Promise<RangeAnswer> {
    return this.#call('/etcdserverpb.KV/Range', frameOf(rangeRequest(range)), readRange)
  }

  /**
   * Repeats the request until a member answers. The cluster may receive the request several times, so it must have no further effect when
   * it is received again.
   * @param attempts Records the outcome of each attempt of a commit. Without it, the call fails as soon as all members refuse the
   * connection, even if an earlier attempt may have taken effect.
   * @throws ClusterUnavailable, EtcdError
   */
  txn(txn: Txn, attempts?: Attempts): Promise<TxnAnswer> {
    return this.#call('/etcdserverpb.KV/Txn', frameOf(txnRequest(txn)), readTxn, attempts)
  }

  /** Watches puts from a revision on, at one member. A failed watch is not restarted; the next call of this method uses another member. */
  async watch(key: Uint8Array, end: Uint8Array, from: number, { onMessage, onEnd }: Watching): Promise<{ end(): void }> {
    const token = await this.#login()
    if (this.#options.signal?.aborted) throw new Error(`etcd: ${ABORTED}`)
    const member = this.#members[this.#at]!
    return member.watch('/etcdserverpb.Watch/Watch', frameOf(watchRequest(key, end, from)), token, {
      onMessage,
      onEnd: (error) => {
        if (isTokenRefused(error)) this.#token = undefined
        else this.#leave(member)
        onEnd(error)
      },
    })
  }

  close(): void {
    this.#options.signal?.removeEventListener('abort', this.#abort)
    for (const member of this.#members) member.close('the storage is closed')
  }

  #call<T extends { readonly header: Header }>(
    path: string,
    frame: Buffer,
    read: (from: ProtoReader) => T,
    attempts?: Attempts,
  ): Promise<T> {
    const once = async (member: Member, patience: CallLimits): Promise<T> => {
      const token = await this.#login()
      try {
        const answer = await member.call(path, frame, token, patience, read)
        this.#checkHeader(member, answer.header)
        return answer
      } catch (error) {
        if (isTokenRefused(error)) this.#token = undefined
        throw error
      }
    }
    return this.#trying(once, attempts ?? new Attempts(), attempts !== undefined)
  }

  /** The token of the user. It is requested once, and again after the cluster refused it. */
  async #login(): Promise<string | undefined> {
    const { login } = this.#options
    if (!login) return undefined
    const frame = frameOf(passwordRequest(login.user, login.password))
    this.#token ??= this.#trying(
      (member, patience) => member.call('/etcdserverpb.Auth/Authenticate', frame, undefined, patience, readAuthToken),
      new Attempts(),
      false,
    )
    const asked = this.#token
    try {
      return await asked
    } catch (error) {
      if (this.#token === asked) this.#token = undefined
      throw error
    }
  }

  /**
   * @param isCommit Whether `work` sends a commit. A commit that may have reached a member is repeated until the time is over, even if all
   * members refuse connections.
   */
  async #trying<T>(work: Work<T>, attempts: Attempts, isCommit: boolean): Promise<T> {
    const { timeoutMs, signal } = this.#options
    const end = performance.now() + timeoutMs
    for (let attempt = 1; ; attempt++) {
      const round = Math.floor((attempt - 1) / this.#members.length)
      const left = end - performance.now()
      if (signal?.aborted) throw attempts.error(`etcd: ${ABORTED}`)
      if (left <= 0 || (attempt > 1 && left < MIN_SILENCE_MS)) throw attempts.error(`etcd: no answer within ${timeoutMs} ms`)
      const member = this.#members[this.#at]!
      try {
        return await work(member, { silence: Math.min(left, FIRST_SILENCE_MS * 2 ** Math.max(0, round - SHORT_ROUNDS)), left })
      } catch (error) {
        if (!(error instanceof EtcdError)) throw error
        attempts.note(error)
        if (error.kind === 'refused')
          throw attempts.harmless ? error : attempts.error('etcd: the outcome of the commit is not known')
        if (attempts.hopeless(this.#members.length)) throw attempts.error('etcd: no member is usable')
        if (attempts.refused(this.#members.length) && (!isCommit || attempts.harmless))
          throw attempts.error('etcd: no member accepts a connection')
        if (isTokenRefused(error)) continue
        this.#leave(member)
      }
      if (attempt % this.#members.length === 0) await sleep(Math.min(pauseMs(round), Math.max(0, end - performance.now())))
    }
  }

  #leave(member: Member): void {
    if (this.#members[this.#at] === member) this.#at = (this.#at + 1) % this.#members.length
  }

  /** @throws TypeError if the hosts belong to different clusters, because each cluster would then have only a part of the store. */
  #checkHeader(member: Member, { cluster, revision }: Header): void {
    this.#cluster ??= { id: cluster, member: member.name }
    if (this.#cluster.id !== cluster)
      throw new TypeError(`hosts: ${this.#cluster.member} and ${member.name} are members of different etcd clusters`)
    this.#revision = Math.max(this.#revision, revision)
  }
}
