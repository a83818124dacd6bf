/** Which versions of a key stored ciphertexts rest on. */

/** What was counted in one walk over stored ciphertexts. Plain data: it may be kept as JSON. */
export interface KeyCensus {
  /** When the walk began, RFC 3339. */
  readonly begun: string
  /** Whether the source came to its end. A census that did not proves nothing. */
  readonly complete: boolean
  /** Items by the version that they are under after the walk: `{ '2': 17, '3': 40000 }`. */
  readonly versions: Readonly<Record<string, number>>
  /** Items whose version could not be told. */
  readonly unknown: number
}

export class Census {
  readonly #begun: string
  readonly #versions: Map<string, number>
  #unknown: number

  /** @param before What an interrupted walk has counted, if this one goes on behind it. */
  constructor(begun: string, before: KeyCensus | undefined) {
    this.#begun = before?.begun ?? begun
    this.#versions = new Map(Object.entries(before?.versions ?? {}))
    this.#unknown = before?.unknown ?? 0
  }

  /** @param version Undefined: it could not be told. */
  count(version: number | undefined): void {
    if (version === undefined) this.#unknown++
    else this.#versions.set(`${version}`, (this.#versions.get(`${version}`) ?? 0) + 1)
  }

  read(complete: boolean): KeyCensus {
    return { begun: this.#begun, complete, versions: Object.fromEntries(this.#versions), unknown: this.#unknown }
  }
}
