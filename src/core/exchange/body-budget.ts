/**
 * Accounts for the memory of the parsed bodies of all requests.
 */
import { KernelError } from '../base/errors.ts'

/** The default limit in bytes. A single body uses at most 296 MiB, see {@link BodyAccount.grow}. */
const DEFAULT_PARSED_BYTES = 536_870_912

/**
 * The fraction of the limit that the bodies of callers who are not authorized yet may use. The other bytes are reserved for authorized
 * callers.
 */
const UNAUTHORIZED_FRACTION = 1 / 8

/** The parsed values of a body may use `FREE_BYTES` of memory, plus `BYTES_PER_BYTE` for each byte of the body that was read. */
const FREE_BYTES = 8_388_608
const BYTES_PER_BYTE = 8

/** The memory of the bodies of all requests. */
export class BodyBudget {
  readonly #maxBytes: number
  #used = 0
  #unauthorized = 0
  #turn: Promise<unknown> = Promise.resolve()

  constructor(maxBytes: number = DEFAULT_PARSED_BYTES) {
    this.#maxBytes = maxBytes
  }

  /** Opens the account for the body of a request. */
  open(): BodyAccount {
    return new BodyAccount(this)
  }

  /**
   * Parses long bodies of callers who are not authorized yet, one body at a time. Parsing them concurrently would not be faster, but all of
   * them would be in memory at the same time.
   */
  parseInTurn<T>(parse: () => Promise<T>): Promise<T> {
    const parsed = this.#turn.then(parse)
    this.#turn = parsed.catch(() => {})
    return parsed
  }

  /** @throws KernelError 503 if the limit would be exceeded. */
  change(bytes: number, unauthorized: number): void {
    const tooMuch =
      this.#used + bytes > this.#maxBytes || this.#unauthorized + unauthorized > this.#maxBytes * UNAUTHORIZED_FRACTION
    if (bytes > 0 && tooMuch) throw tooBusy()
    this.#used += bytes
    this.#unauthorized += unauthorized
  }
}

/** The memory that a request uses, from the first byte of its body until it was answered. */
export class BodyAccount {
  readonly #budget: BodyBudget
  #bytes = 0
  #values = 0
  /** The part of `#bytes` that counts toward the lower limit for callers who are not authorized yet. */
  #unauthorized = 0
  #isAuthorized = false

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Adds the estimated memory of a short body and its values, before the body is parsed. @throws KernelError 503 */
  addShort(bytes: number): void {
    this.#budget.change(bytes * BYTES_PER_BYTE, 0)
    this.#bytes += bytes * BYTES_PER_BYTE
  }

  /** Adds the text of a long body. @throws KernelError 503 */
  addText(bytes: number): void {
    this.#add(bytes)
  }

  /**
   * Adds the values of a long body while it is parsed. The values may use 8 MiB plus 8 bytes for each byte that was read. For comparison: a
   * batch of small items uses 5 bytes for each byte that was read, and an object with a million members uses 7. A list of empty objects uses
   * 24, so it is refused after about 500 KB.
   * @param values The estimated memory of the values in bytes, without their text.
   * @param read The number of bytes of the body that were read so far.
   * @throws KernelError 413 if the values use too much memory, 503 if all requests together use too much.
   */
  readonly grow = (values: number, read: number): void => {
    if (values > FREE_BYTES + BYTES_PER_BYTE * read) throw tooManyValues()
    this.#add(values - this.#values)
    this.#values = values
  }

  /** Parses a long body. If the caller is not authorized yet, waits until no other such body is being parsed. */
  parse<T>(parse: () => Promise<T>): Promise<T> {
    return this.#isAuthorized ? parse() : this.#budget.parseInTurn(parse)
  }

  /** Must be called when the caller has been authorized to send long bodies. */
  setAuthorized(): void {
    if (this.#unauthorized > 0) this.#budget.change(0, -this.#unauthorized)
    this.#unauthorized = 0
    this.#isAuthorized = true
  }

  /** Must be called when the request has been answered. */
  release(): void {
    if (this.#bytes > 0) this.#budget.change(-this.#bytes, -this.#unauthorized)
    this.#bytes = 0
    this.#unauthorized = 0
  }

  #add(bytes: number): void {
    const unauthorized = this.#isAuthorized ? 0 : bytes
    this.#budget.change(bytes, unauthorized)
    this.#bytes += bytes
    this.#unauthorized += unauthorized
  }
}

const tooManyValues = (): KernelError =>
  new KernelError('ERR_REQUEST_TOO_LARGE', 'body: its values use too much memory in proportion to its size')

/** The seconds after which a refused client may try again. */
const RETRY_AFTER = 1

const tooBusy = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the requests in progress use too much memory; try again in a second', {
    details: { retry_after: RETRY_AFTER },
  })
