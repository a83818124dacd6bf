/** The failures of one request at the members of the cluster. */
import { type EtcdError, isMemberSilent, isRefused } from './failures.ts'

/** No member answered the request in time, or all refused it for good. The message has the last error of each member. */
export class ClusterUnavailable extends Error {
  override readonly name = 'ClusterUnavailable'
  /** Whether it is certain that no attempt has taken effect or will. */
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
    // A member's answer is worth more than a later lost connection, and a lost connection is worth more than silence.
    if (before && (isMemberSilent(error) || (error.status === undefined && before.status !== undefined))) return
    this.#said.delete(error.member)
    this.#said.set(error.member, error)
  }

  /** Whether all members have refused for good. */
  hopeless(members: number): boolean {
    return this.#said.size === members && [...this.#said.values()].every(({ kind }) => kind === 'elsewhere')
  }

  /** Whether all members refuse connections. */
  refused(members: number): boolean {
    return this.#said.size === members && [...this.#said.values()].every(isRefused)
  }

  error(what: string): ClusterUnavailable {
    const said = [...this.#said.values()]
    return new ClusterUnavailable([what, ...said.map(({ message }) => message)].join('; '), this.#harmless, said.at(-1))
  }
}
