/** Computes a hash that differs if two results of a read differ. A waiting read keeps the hash instead of its last result. */
import { encodeBase64 } from '../../core/base/base64.ts'
import { toUtf8 } from '../../core/base/bytes.ts'
import { CHUNK, type TextSink } from '../../core/base/growing-text.ts'
import { Pace, type Steps } from '../../core/base/steps.ts'
import type { Hash } from '../../core/crypto/backend.ts'
import { writeJson } from '../../core/json/json-text.ts'
import type { AnyConfigOperation } from '../operation.ts'

/** The estimated cost of hashing one string of `stateTexts`. */
const TEXT_MICROSECONDS = 1

/** @param hash Must be collision resistant, because clients choose the content of records. */
export function* stateSteps({ stateTexts: stateOf }: AnyConfigOperation, value: unknown, hash: Hash): Steps<string> {
  if (value === undefined) return ''
  const sink = new HashingSink(hash)
  if (!stateOf) yield* writeJson(value as object, sink)
  else {
    const pace = new Pace()
    for (const text of stateOf(value)) {
      sink.push(text)
      if (pace.spend(TEXT_MICROSECONDS)) yield
    }
  }
  return sink.end()
}

/** Hashes a text in chunks without holding all of it. Each chunk is hashed together with the hash of the preceding chunks. */
class HashingSink implements TextSink {
  readonly #hash: Hash
  #before = ''
  #parts: string[] = []
  #length = 0

  constructor(hash: Hash) {
    this.#hash = hash
  }

  push(part: string): void {
    this.#parts.push(part)
    this.#length += part.length
    if (this.#length >= CHUNK) this.#digest()
  }

  end(): string {
    this.#digest()
    return this.#before
  }

  #digest(): void {
    this.#before = encodeBase64(this.#hash.digest(toUtf8(this.#before + this.#parts.join(''))))
    this.#parts = []
    this.#length = 0
  }
}
