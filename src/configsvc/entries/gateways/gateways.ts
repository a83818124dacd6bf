/**
 * Gateways with what their certificates say of them.
 */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { fold } from '../graph/entries-read.ts'
import {
  type ApiGateway,
  type GatewayEntries,
  type GatewayListener,
  type ResourceReference,
  referenceOf,
} from './gateway-entries.ts'

type CertificateKind = 'inline-certificate' | 'file-system-certificate'

export interface KnownListener {
  readonly listener: GatewayListener
  readonly certificates: readonly ResourceReference[]
  readonly missing: readonly ResourceReference[]
}

export interface KnownGateway {
  readonly entry: ApiGateway
  /** No certificate is missing. */
  readonly accepted: boolean
  /** By name, in their order. */
  readonly listeners: ReadonlyMap<string, KnownListener>
}

const LISTENER_MICROSECONDS = 5

/** Looks each gateway up once: many routes have the same parent. */
export class Gateways {
  readonly #entries: GatewayEntries
  readonly #known = new Map<string, KnownGateway | undefined>()

  constructor(entries: GatewayEntries) {
    this.#entries = entries
  }

  *get(name: string): Steps<KnownGateway | undefined> {
    const key = fold(name)
    if (!this.#known.has(key)) this.#known.set(key, yield* this.#look(name))
    return this.#known.get(key)
  }

  *#look(name: string): Steps<KnownGateway | undefined> {
    const entry = yield* this.#entries.loaded(() => this.#entries.get('api-gateway', name))
    if (!entry) return undefined
    const pace = new Pace()
    const { Listeners = [] } = entry
    const wanted = Listeners.flatMap(certificatesOf).map(({ Kind, Name }) => ({ kind: Kind as CertificateKind, name: Name }))
    yield* this.#entries.loaded(() => this.#entries.expect(wanted))
    const listeners = new Map<string, KnownListener>()
    for (const listener of Listeners) {
      const named = certificatesOf(listener)
      if (pace.spend(LISTENER_MICROSECONDS * (named.length + 1))) yield
      const certificates: ResourceReference[] = []
      const missing: ResourceReference[] = []
      for (const reference of named)
        (this.#entries.get(reference.Kind as CertificateKind, reference.Name) ? certificates : missing).push(reference)
      listeners.set(listener.Name ?? '', { listener, certificates, missing })
    }
    return { entry, accepted: [...listeners.values()].every(({ missing }) => missing.length === 0), listeners }
  }
}

const certificatesOf = ({ TLS }: GatewayListener): readonly ResourceReference[] =>
  (TLS?.Certificates ?? []).map((written) => referenceOf(written, 'inline-certificate'))
