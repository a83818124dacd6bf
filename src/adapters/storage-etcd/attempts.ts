/** What the members said of one request. */
import { type EtcdError, isRefused, isSilence } from './failures.ts'

/** No member did what it was asked in time, or ever would. The message has what each of them said last. */
export class ClusterUnavailable extends Error {
  override readonly name = 'ClusterUnavailable'
  /** Whether it is certain that no attempt took effect, or will. */
  readonly harmless: boolean

  constructor(text: string, harmless: boolean, cause: EtcdError | undefined) {
    super(text, cause && { cause })
    this.harmless = harmless
  }
}

export class Attempts {
  readonly #said = new Map<string, EtcdError>()
  #harmless = true

  get harmless(): boolean {
    return this.#harmless
  }

  note(error: EtcdError): void {
    this.#harmless &&= error.harmless
    const before = this.#said.get(error.member)
    // What a member has said tells more than a lost connection after that, and why there is no connection more than silence.
    if (before && (isSilence(error) || (error.status === undefined && before.status !== undefined))) return
    this.#said.delete(error.member)
    this.#said.set(error.member, error)
  }

  /** Whether all members have said that they never will. */
  hopeless(members: number): boolean {
    return this.#said.size === members && [...this.#said.values()].every(({ kind }) => kind === 'elsewhere')
  }

  /** Whether no member accepts a connection. */
  refused(members: number): boolean {
    return this.#said.size === members && [...this.#said.values()].every(isRefused)
  }

  error(what: string): ClusterUnavailable {
    const said = [...this.#said.values()]
    return new ClusterUnavailable([what, ...said.map(({ message }) => message)].join('; '), this.#harmless, said.at(-1))
  }
}
