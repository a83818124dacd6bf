/**
 * Accounts for the memory that the parsed bodies of all requests take.
 */
import { KernelError } from '../base/errors.ts'

/** The default; a single body takes at most 296 MiB, see {@link HeldBody.grow}. */
export const DEFAULT_PARSED_BYTES = 536_870_912

/** The share of long bodies whose callers are not judged yet: the rest is left to callers with a token. */
const UNJUDGED_SHARE = 1 / 8

/** The memory that the values of a body may take: this much, and a number of bytes for each byte read. */
const FREE_BYTES = 8_388_608
const BYTES_PER_BYTE = 8

/** The bodies of a kernel's requests. */
export class HeldBodies {
  readonly #most: number
  #held = 0
  #unjudged = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(most: number = DEFAULT_PARSED_BYTES) {
    this.#most = most
  }

  /** Opens the account of one request's body. */
  open(): HeldBody {
    return new HeldBody(this)
  }

  /**
   * Parses the long bodies of callers not judged yet one after the other: in parallel they would be no faster, and all of them would be in
   * memory at once.
   */
  inTurn<T>(parse: () => Promise<T>): Promise<T> {
    const parsed = this.#turn.then(parse)
    this.#turn = parsed.catch(() => {})
    return parsed
  }

  /** Bytes that all requests hold now. */
  get held(): number {
    return this.#held
  }

  /** @throws KernelError 503 where there is no room for more. */
  change(bytes: number, unjudged: number): void {
    const tooMuch = this.#held + bytes > this.#most || this.#unjudged + unjudged > this.#most * UNJUDGED_SHARE
    if (bytes > 0 && tooMuch) throw tooBusy()
    this.#held += bytes
    this.#unjudged += unjudged
  }
}

/** The memory that one request holds, from its first byte to its answer. */
export class HeldBody {
  readonly #all: HeldBodies
  #bytes = 0
  #values = 0
  /** The part that counts as held by an unknown caller. */
  #unjudged = 0
  #isJudged = false

  constructor(all: HeldBodies) {
    this.#all = all
  }

  /** Holds a short body, as a whole and before it is parsed. @throws KernelError 503 */
  holdShort(bytes: number): void {
    this.#all.change(bytes * BYTES_PER_BYTE, 0)
    this.#bytes += bytes * BYTES_PER_BYTE
  }

  /** Holds the texts of a long body, which are no longer than the body. @throws KernelError 503 */
  holdTexts(bytes: number): void {
    this.#take(bytes)
  }

  /**
   * Holds a long body while it is parsed: its values may take 8 MiB and 8 bytes more for each byte read. A batch of small items takes 5 per
   * byte, an object of a million members 7, consecutive empty objects 24: those fail after some 500 KB.
   * @param values Estimated bytes of memory that its values take beside their texts.
   * @param read Bytes of the body that they came from.
   * @throws KernelError 413 for more values than that, 503 where all requests together hold too much.
   */
  readonly grow = (values: number, read: number): void => {
    if (values > FREE_BYTES + BYTES_PER_BYTE * read) throw tooManyValues()
    this.#take(values - this.#values)
    this.#values = values
  }

  /** Parses a long body, at once or in its turn. */
  parse<T>(parse: () => Promise<T>): Promise<T> {
    return this.#isJudged ? parse() : this.#all.inTurn(parse)
  }

  /** The caller is allowed to send long bodies. */
  judged(): void {
    if (this.#unjudged > 0) this.#all.change(0, -this.#unjudged)
    this.#unjudged = 0
    this.#isJudged = true
  }

  /** Called when the request has its answer. */
  release(): void {
    if (this.#bytes > 0) this.#all.change(-this.#bytes, -this.#unjudged)
    this.#bytes = 0
    this.#unjudged = 0
  }

  #take(bytes: number): void {
    const unjudged = this.#isJudged ? 0 : bytes
    this.#all.change(bytes, unjudged)
    this.#bytes += bytes
    this.#unjudged += unjudged
  }
}

const tooManyValues = (): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', 'body: holds more values than its size allows for')

/** Seconds after which the memory is likely to be free again. */
const RETRY_AFTER = 1

const tooBusy = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the requests under way hold too much memory: try again in a second', {
    details: { retry_after: RETRY_AFTER },
  })
