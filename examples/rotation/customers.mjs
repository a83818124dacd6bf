/**
 * The table: each e-mail address is encrypted and bound to its row, and the row also has an HMAC of the address.
 */
const utf8 = new TextEncoder()
const text = new TextDecoder()

export const ADDRESSES = 'customers-email'
export const INDEX = 'customers-email-index'

const normalized = (address) => utf8.encode(address.trim().toLowerCase())

/** The associated data of a row: a ciphertext that was moved to another row cannot be decrypted. */
export const boundTo = (id) => utf8.encode(`customers/email/${id}`)

export class Customers {
  /** The rows `{ id, email, email_index }` by id. They represent a table of a database. */
  rows = new Map()
  #kernel

  constructor(kernel) {
    this.#kernel = kernel
  }

  async add(id, address) {
    const { transit } = this.#kernel
    const { ciphertext } = await transit.encrypt({
      name: ADDRESSES,
      plaintext: utf8.encode(address),
      associated_data: boundTo(id),
    })
    this.rows.set(id, { id, email: ciphertext, email_index: await this.indexOf(address) })
  }

  /** @param version The key version; 0 is the newest. */
  async indexOf(address, version = 0) {
    const { hmac } = await this.#kernel.transit.hmac({ name: INDEX, input: normalized(address), key_version: version })
    return hmac
  }

  async emailOf({ id, email }) {
    const { transit } = this.#kernel
    const { plaintext } = await transit.decrypt({ name: ADDRESSES, ciphertext: email, associated_data: boundTo(id) })
    return text.decode(plaintext)
  }

  /** Searches with every key version that a row may still use. */
  async find(address) {
    const { min_decryption_version: least, latest_version: latest } = await this.#kernel.transit.readKey({ name: INDEX })
    const wanted = new Set()
    for (let version = least; version <= latest; version++) wanted.add(await this.indexOf(address, version))
    return [...this.rows.values()].find(({ email_index }) => wanted.has(email_index))
  }
}
