/** Resolves gateways and the certificates of their listeners. */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { foldEntryName } from '../graph/graph-entries.ts'
import {
  type ApiGateway,
  type GatewayEntries,
  type GatewayListener,
  type ResourceReference,
  referenceOf,
} from './gateway-entries.ts'

type CertificateKind = 'inline-certificate' | 'file-system-certificate'

export interface ResolvedListener {
  readonly listener: GatewayListener
  readonly certificates: readonly ResourceReference[]
  readonly missing: readonly ResourceReference[]
}

export interface ResolvedGateway {
  readonly entry: ApiGateway
  /** Whether all certificates that the listeners name exist. */
  readonly accepted: boolean
  /** The listeners keyed by name, in the order of the entry. */
  readonly listeners: ReadonlyMap<string, ResolvedListener>
}

const LISTENER_MICROSECONDS = 5

/** Resolves each gateway once, because many routes may have the same parent. */
export class GatewayLookup {
  readonly #entries: GatewayEntries
  readonly #resolved = new Map<string, ResolvedGateway | undefined>()

  constructor(entries: GatewayEntries) {
    this.#entries = entries
  }

  *get(name: string): Steps<ResolvedGateway | undefined> {
    const key = foldEntryName(name)
    if (!this.#resolved.has(key)) this.#resolved.set(key, yield* this.#resolve(name))
    return this.#resolved.get(key)
  }

  *#resolve(name: string): Steps<ResolvedGateway | undefined> {
    const entry = yield* this.#entries.load(() => this.#entries.get('api-gateway', name))
    if (!entry) return undefined
    const pace = new Pace()
    const { Listeners = [] } = entry
    const wanted = Listeners.flatMap(certificatesOf).map(({ Kind, Name }) => ({ kind: Kind as CertificateKind, name: Name }))
    yield* this.#entries.load(() => this.#entries.prefetch(wanted))
    const listeners = new Map<string, ResolvedListener>()
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
