/** The failures of all attempts of one request, by member of the cluster. */
import { type EtcdError, isMemberSilent, isRefused } from './failures.ts'

/**
 * The request failed at every member or was not answered in time, or its outcome is unknown. The message contains the most informative
 * error of each member.
 */
export class ClusterUnavailable extends Error {
  override readonly name = 'ClusterUnavailable'
  /** Whether it is certain that no attempt has had, or will have, an effect. */
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
    // Keep the most informative error of a member: an error answer, then a lost connection, then silence.
    if (before && (isMemberSilent(error) || (error.status === undefined && before.status !== undefined))) return
    this.#said.delete(error.member)
    this.#said.set(error.member, error)
  }

  /** Whether no member can serve any request, because of its certificate or protocol. */
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
