/** Hash functions and HMAC that use noble for short messages and the platform for all others. Their results are equal. */
import type { Steps } from '../../base/steps.ts'
import type { Hash, MacKey } from '../backend.ts'
import { keyWipedError } from '../key-wiped-error.ts'

/** @param shortBytes For at most this many bytes, `short` is used. */
export function hashByLength(short: Hash, long: Hash, shortBytes: number): Hash {
  const fastest = (data: Uint8Array): Hash => (data.length > shortBytes ? long : short)
  return Object.freeze({
    ...short,
    digest: (data: Uint8Array): Uint8Array => fastest(data).digest(data),
    digestSteps: (data: Uint8Array): Steps<Uint8Array> => fastest(data).digestSteps(data),
  })
}

interface CreateMacKey {
  readonly short: (key: Uint8Array) => MacKey
  readonly long: (key: Uint8Array) => MacKey
}

/** Each of the two keys is created when it is first needed, because most keys authenticate either short messages or long ones. */
export class MacKeyByLength implements MacKey {
  readonly #create: CreateMacKey
  readonly #shortBytes: number
  /** Undefined after {@link wipe}. */
  #raw: Uint8Array | undefined
  #short: MacKey | undefined
  #long: MacKey | undefined

  /**
   * @param key Any length; copied.
   * @param shortBytes For at most this many bytes, `short` is used.
   */
  constructor(key: Uint8Array, create: CreateMacKey, shortBytes: number) {
    this.#create = create
    this.#shortBytes = shortBytes
    this.#raw = Uint8Array.from(key)
  }

  mac(data: Uint8Array): Uint8Array {
    return this.#fastest(data).mac(data)
  }

  macText(data: Uint8Array): string {
    return this.#fastest(data).macText(data)
  }

  macSteps(data: Uint8Array): Steps<Uint8Array> {
    return this.#fastest(data).macSteps(data)
  }

  wipe(): void {
    this.#short?.wipe()
    this.#long?.wipe()
    this.#raw?.fill(0)
    this.#raw = undefined
  }

  #fastest(data: Uint8Array): MacKey {
    if (data.length > this.#shortBytes) {
      this.#long ??= this.#create.long(this.#bytes())
      return this.#long
    }
    this.#short ??= this.#create.short(this.#bytes())
    return this.#short
  }

  #bytes(): Uint8Array {
    if (this.#raw === undefined) throw keyWipedError()
    return this.#raw
  }
}
