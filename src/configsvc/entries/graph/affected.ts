/** Finds the chains, gateways and intentions that must be validated again after a change. */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { foldEntryName, type GraphEntryReader, type ReferenceLookup } from './graph-entries.ts'

/**
 * Which entries a change of a service affects. `all`: every entry that refers to the service. `listeners`: only gateways that serve the
 * service, because only the start of its chain has changed. `itself`: no other entry.
 */
export type Reach = 'itself' | 'listeners' | 'all'

const REACHES: readonly Reach[] = ['itself', 'listeners', 'all']

interface ReachedService {
  readonly name: string
  reach: Reach
}

const REFERENCE_MICROSECONDS = 2

/**
 * For each kind of entry that refers to an affected service: adds the services and gateways that the entry affects in turn. A router is only
 * in the chain of its own service, so it affects no other services, only gateways that serve its service.
 */
const PROPAGATION: Readonly<Record<string, (affected: AffectedServices, name: string, reach: Reach) => void>> = {
  'service-router': (affected, name, reach) => reach === 'all' && affected.add(name, 'listeners'),
  'service-splitter': (affected, name, reach) => reach === 'all' && affected.add(name, 'all'),
  'service-resolver': (affected, name, reach) => reach === 'all' && affected.add(name, 'all'),
  'ingress-gateway': (affected, name) => affected.addGateway(name),
}

export class AffectedServices {
  readonly #services = new Map<string, ReachedService>()
  readonly #gateways = new Map<string, string>()
  readonly #pending: ReachedService[] = []
  /** Whether the protocol of every service may have changed. */
  all = false

  /** The names of the affected services, whose chains must be compiled again. */
  get services(): readonly string[] {
    return [...this.#services.values()].map(({ name }) => name)
  }

  /** The names of the ingress gateways that serve an affected service. */
  get gateways(): Iterable<string> {
    return this.#gateways.values()
  }

  has(service: string): boolean {
    return this.all || this.#services.has(foldEntryName(service))
  }

  addGateway(name: string): void {
    this.#gateways.set(foldEntryName(name), name)
  }

  add(service: string, reach: Reach): void {
    const key = foldEntryName(service)
    const known = this.#services.get(key)
    if (known && REACHES.indexOf(known.reach) >= REACHES.indexOf(reach)) return
    const added = known ?? { name: service, reach }
    added.reach = reach
    this.#services.set(key, added)
    if (reach !== 'itself') this.#pending.push(added)
  }

  /** Adds all services whose chains lead to an affected service, directly or indirectly. */
  *propagate(entries: GraphEntryReader, references: ReferenceLookup): Steps<void> {
    const pace = new Pace()
    for (let service = this.#pending.pop(); service; service = this.#pending.pop()) {
      const { name, reach } = service
      for (const entry of yield* entries.load(() => [...references.referring('service', name)])) {
        if (pace.spend(REFERENCE_MICROSECONDS)) yield
        PROPAGATION[entry.kind]?.(this, entry.name, reach)
      }
    }
  }
}
