/**
 * Accounts for the memory of the parsed bodies of all requests.
 */
import { KernelError } from '../base/errors.ts'

/** The default limit. A single body uses at most 296 MiB, see {@link BodyAccount.grow}. */
export const DEFAULT_PARSED_BYTES = 536_870_912

/** The fraction of the memory that bodies of callers may use before they are authorized. The rest is left to authorized callers. */
const UNAUTHORIZED_FRACTION = 1 / 8

/** The values of a body may use this many bytes, plus BYTES_PER_BYTE for each byte read. */
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

  /** Opens the account of one request's body. */
  open(): BodyAccount {
    return new BodyAccount(this)
  }

  /**
   * Parses long bodies of callers that are not authorized yet one after the other. In parallel they would not be faster, and all of them
   * would be in memory together.
   */
  parseInTurn<T>(parse: () => Promise<T>): Promise<T> {
    const parsed = this.#turn.then(parse)
    this.#turn = parsed.catch(() => {})
    return parsed
  }

  /** Bytes that all requests use now. */
  get used(): number {
    return this.#used
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

/** The memory that one request uses, from its first byte to its answer. */
export class BodyAccount {
  readonly #budget: BodyBudget
  #bytes = 0
  #values = 0
  /** The part that counts as used by a caller who is not authorized yet. */
  #unauthorized = 0
  #isAuthorized = false

  constructor(budget: BodyBudget) {
    this.#budget = budget
  }

  /** Accounts for a short body as a whole, before it is parsed. @throws KernelError 503 */
  addShort(bytes: number): void {
    this.#budget.change(bytes * BYTES_PER_BYTE, 0)
    this.#bytes += bytes * BYTES_PER_BYTE
  }

  /** Accounts for the text of a long body. @throws KernelError 503 */
  addText(bytes: number): void {
    this.#add(bytes)
  }

  /**
   * Accounts for a long body while it is parsed. Its values may use 8 MiB plus 8 bytes for each byte read. A batch of small items uses 5
   * per byte, an object of a million members 7, consecutive empty objects 24, so those fail after some 500 KB.
   * @param values Estimated memory of the values in bytes, without their text.
   * @param read Bytes of the body that were read for them.
   * @throws KernelError 413 if the values use more than that, 503 if all requests together use too much.
   */
  readonly grow = (values: number, read: number): void => {
    if (values > FREE_BYTES + BYTES_PER_BYTE * read) throw tooManyValues()
    this.#add(values - this.#values)
    this.#values = values
  }

  /** Parses a long body, immediately or in its turn. */
  parse<T>(parse: () => Promise<T>): Promise<T> {
    return this.#isAuthorized ? parse() : this.#budget.parseInTurn(parse)
  }

  /** Called when the caller is authorized to send long bodies. */
  setAuthorized(): void {
    if (this.#unauthorized > 0) this.#budget.change(0, -this.#unauthorized)
    this.#unauthorized = 0
    this.#isAuthorized = true
  }

  /** Called when the request has its answer. */
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
  new KernelError('ERR_REQUEST_TOO_LARGE', 'body: its values would use too much memory for its size')

/** Seconds until memory is likely to be free again. */
const RETRY_AFTER = 1

const tooBusy = (): KernelError =>
  new KernelError('ERR_UNAVAILABLE', 'the requests in progress use too much memory; try again in a second', {
    details: { retry_after: RETRY_AFTER },
  })
