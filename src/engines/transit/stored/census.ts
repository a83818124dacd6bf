/** A count of stored ciphertexts by key version. Plain data that can be stored as JSON. */
export interface KeyCensus {
  /** When the census began, in RFC 3339. */
  readonly begun: string
  /** Whether `items` was read to its end. An incomplete census proves nothing. */
  readonly complete: boolean
  /** The number of items by version after the run, such as `{ '2': 17, '3': 40000 }`. */
  readonly versions: Readonly<Record<string, number>>
  /** The number of items whose version is unknown. */
  readonly unknown: number
}

export class Census {
  readonly #begun: string
  readonly #versions: Map<string, number>
  #unknown: number

  /** @param before The census of an interrupted run that the new census continues. */
  constructor(begun: string, before: KeyCensus | undefined) {
    this.#begun = before?.begun ?? begun
    this.#versions = new Map(Object.entries(before?.versions ?? {}))
    this.#unknown = before?.unknown ?? 0
  }

  /** @param version Undefined if it is unknown. */
  count(version: number | undefined): void {
    if (version === undefined) this.#unknown++
    else this.#versions.set(`${version}`, (this.#versions.get(`${version}`) ?? 0) + 1)
  }

  read(complete: boolean): KeyCensus {
    return { begun: this.#begun, complete, versions: Object.fromEntries(this.#versions), unknown: this.#unknown }
  }
}
