/** The vectors' keys in a kernel: imported by path like any other, once each. */
import { afterAll, beforeAll } from 'vitest'
import type { Kernel } from '../../../src/index.ts'
import { kernelWithWrappingKey } from '../../fixtures/wrapping-kernel.ts'
import { type Answer, ask, base64 } from '../../property/support.ts'
import { unhex } from '../../vectors/load.ts'
import { wrapped, wrappingKey } from '../import-blob.ts'

/** A vector whose key cannot be imported is outside what can be judged this way, and must be listed as such. */
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

  /** The name of a key made of raw bytes or PKCS#8, in hex. */
  secret(type: string, hex: string): Promise<string> {
    return this.#once(type, hex, () => ({ type, ciphertext: base64(wrapped(this.#recipient, unhex(hex))) }))
  }

  /** The name of a key made of a public key in PEM form. */
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

/** What verify says, or that it takes the signature for malformed; anything else is an error of the test. */
export function verdict({ status, data }: Answer): boolean {
  if (status === 200) return data['valid'] === true
  if (status === 400) return false
  throw new Error(`status ${status}`)
}

export const fromHex = (hex: string): string => base64(unhex(hex))
