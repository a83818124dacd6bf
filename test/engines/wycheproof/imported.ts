import { afterAll, beforeAll } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'
import { type Answer, ask, base64 } from '../../property/support.ts'
import { unhex } from '../../vectors/load.ts'
import { wrapped, wrappingKey } from '../import-blob.ts'

/** Imports each key of the vectors once. Vectors whose keys cannot be imported must be listed as not tested. */
export class Imported {
  #kernel: Kernel | undefined
  #recipient = ''
  readonly #names = new Map<string, string>()

  constructor() {
    beforeAll(async () => {
      this.#kernel = await kernelWithWrappingKey()
      this.#recipient = await wrappingKey(this.#kernel)
    })
    afterAll(() => this.#kernel?.close())
  }

  get kernel(): Kernel {
    return this.#kernel as Kernel
  }

  /** The name of a key imported from hexadecimal raw bytes or PKCS#8. */
  secret(type: string, hex: string): Promise<string> {
    return this.#once(type, hex, () => ({ type, ciphertext: base64(wrapped(this.#recipient, unhex(hex))) }))
  }

  /** The name of a key imported from a PEM public key. */
  public(type: string, public_key: string): Promise<string> {
    return this.#once(type, public_key, () => ({ type, public_key }))
  }

  post(path: string, body: object): Promise<Answer> {
    return ask(this.kernel, 'POST', path, body)
  }

  async #once(type: string, key: string, body: () => object): Promise<string> {
    const known = this.#names.get(type + key)
    if (known) return known
    const name = `k${this.#names.size}`
    const { status, errors } = await this.post(`keys/${name}/import`, body())
    if (status !== 204) throw new Error(`the key was not imported: ${errors}`)
    this.#names.set(type + key, name)
    return name
  }
}

/** The result of verify; a malformed signature (400) counts as invalid. Any other status is an error of the test. */
export function verdict({ status, data }: Answer): boolean {
  if (status === 200) return data['valid'] === true
  if (status === 400) return false
  throw new Error(`status ${status}`)
}

export const fromHex = (hex: string): string => base64(unhex(hex))
