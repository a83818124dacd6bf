import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoteText } from '../../../core/hcl/index.ts'
import { AffectedServices } from './affected.ts'
import { Compiler } from './compiler.ts'
import { contradiction } from './contradiction.ts'
import {
  type EntryOf,
  foldEntryName,
  type GraphEntryReader,
  type GraphKind,
  type ReferenceLookup,
  type ServiceDefaults,
} from './graph-entries.ts'
import { validateIngress } from './ingress.ts'
import { validatePermissions, validateProviderRemoval, validateProviders } from './intentions.ts'
import { exportedServiceNames, exportedToPeers, isExported, RESOLUTION_KINDS, validateExport } from './peer-export.ts'
import { validatePermissiveTls } from './permissive.ts'
import { prefetchAhead } from './prefetch-ahead.ts'
import { defaultProtocol, ownProtocol } from './protocol.ts'

/** Settings of the mesh entry apply to later changes only, so changing the mesh entry requires no validation of others. */
export type CheckedKind = Exclude<GraphKind, 'mesh'>

/** Whether changing an entry of this kind can conflict with other entries. */
export const isChecked = (kind: string): kind is CheckedKind => Object.hasOwn(VALIDATORS, kind)

/** An entry that was written or deleted. */
export interface CheckedChange<K extends CheckedKind = CheckedKind> {
  readonly kind: K
  readonly name: string
  /** Undefined if the entry did not exist. */
  readonly before: EntryOf[K] | undefined
}

const SERVICE_MICROSECONDS = 20

const NAME_MICROSECONDS = 2

/** The kinds of entries that are read for each affected service. */
const CHAIN_KINDS = ['service-router', 'service-splitter', 'service-resolver', 'service-defaults', 'service-intentions'] as const

class ChangeValidation {
  readonly affected = new AffectedServices()
  /** The ingress gateways that the change writes. */
  readonly writtenGateways = new Map<string, string>()
  /** Service-intentions, keyed by destination. */
  readonly intentions = new Map<string, string>()
  exports = false
  readonly entries: GraphEntryReader
  readonly references: ReferenceLookup
  readonly #pace = new Pace()

  constructor(entries: GraphEntryReader, references: ReferenceLookup) {
    this.entries = entries
    this.references = references
  }

  /** Runs the checks that need no compiled chain, and collects what {@link validateChains} must check. */
  *begin<K extends CheckedKind>({ kind, name, before }: CheckedChange<K>): Steps<void> {
    if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
    const validate: KindValidator<K> = VALIDATORS[kind]
    const steps = yield* this.entries.load(() => validate(this, name, before, this.entries.get(kind, name)))
    if (steps) yield* steps
  }

  *validateChains(): Steps<void> {
    const { affected, entries, references } = this
    if (affected.all) yield* this.#addAll()
    yield* affected.propagate(entries, references)
    const compiler = new Compiler(entries)
    const { services } = affected
    for (const [i, service] of services.entries()) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      yield* entries.load(() => prefetchAhead(entries, CHAIN_KINDS, i, (from, to) => services.slice(from, to)))
      yield* compiler.start(service)
    }
    yield* this.#validateExports(compiler)
    yield* this.#validateGateways(compiler)
    yield* this.#validateIntentions(compiler)
  }

  *#addAll(): Steps<void> {
    const { affected, intentions, references } = this
    const adding: readonly (readonly [GraphKind, (name: string) => void])[] = [
      ...RESOLUTION_KINDS.map((kind) => [kind, (service: string) => affected.add(service, 'itself')] as const),
      ['ingress-gateway', (gateway) => affected.addGateway(gateway)],
      ['service-intentions', (destination) => intentions.set(foldEntryName(destination), destination)],
    ]
    for (const [kind, add] of adding)
      for (const name of yield* this.entries.load(() => references.namesOfKind(kind))) {
        if (this.#pace.spend(NAME_MICROSECONDS)) yield
        add(name)
      }
  }

  #entry<K extends GraphKind>(kind: K, name: string): Steps<EntryOf[K] | undefined> {
    return this.entries.load(() => this.entries.get(kind, name))
  }

  *#validateExports(compiler: Compiler): Steps<void> {
    const { affected, entries, references, exports } = this
    const exported = yield* entries.load(() => exportedToPeers(entries))
    if (exported.size === 0) return
    const services = affected.services.filter((service) => isExported(exported, service))
    const named = exports ? yield* entries.load(() => [...exportedServiceNames(exported, references)]) : []
    for (const service of [...services, ...named]) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      yield* validateExport(compiler, service)
    }
  }

  *#validateGateways(compiler: Compiler): Steps<void> {
    for (const name of this.writtenGateways.values()) {
      const gateway = yield* this.#entry('ingress-gateway', name)
      if (gateway) yield* validateIngress(this.entries, compiler, gateway, () => true, true)
    }
    for (const name of this.affected.gateways) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      const gateway = this.writtenGateways.has(foldEntryName(name)) ? undefined : yield* this.#entry('ingress-gateway', name)
      if (gateway) yield* validateIngress(this.entries, compiler, gateway, (service) => this.affected.has(service), false)
    }
  }

  *#validateIntentions(compiler: Compiler): Steps<void> {
    for (const service of this.affected.services) this.intentions.set(foldEntryName(service), service)
    for (const name of this.intentions.values()) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      const intentions = yield* this.#entry('service-intentions', name)
      if (intentions) yield* validatePermissions(compiler, intentions)
    }
  }
}

type KindValidator<K extends CheckedKind> = (
  validation: ChangeValidation,
  name: string,
  before: EntryOf[K] | undefined,
  after: EntryOf[K] | undefined,
) => Steps<void> | void

/** The parts of service-defaults that affect other entries. */
const visibleDefaults = (defaults: ServiceDefaults | undefined): string | undefined =>
  defaults && `${ownProtocol(defaults)} ${Boolean(defaults.ExternalSNI)}`

function validateGatewayName({ entries }: ChangeValidation, name: string): void {
  if (entries.get('ingress-gateway', name) && entries.get('terminating-gateway', name))
    throw contradiction(`${quoteText(name)} cannot be the name of both an ingress-gateway and a terminating-gateway`, [name])
}

/** The validator for each kind of entry. Several changes may be validated in any order. */
const VALIDATORS: { readonly [K in CheckedKind]: KindValidator<K> } = {
  'service-defaults': ({ entries, affected }, name, before, after) => {
    validatePermissiveTls(entries, 'service-defaults', name, before)
    if (visibleDefaults(before) !== visibleDefaults(after)) affected.add(name, 'all')
  },
  'proxy-defaults': ({ entries, affected }, name, before, after) => {
    validatePermissiveTls(entries, 'proxy-defaults', name, before)
    if (defaultProtocol(before) !== defaultProtocol(after)) affected.all = true
  },
  'service-router': ({ affected }, name) => affected.add(name, 'listeners'),
  'service-splitter': ({ affected }, name) => affected.add(name, 'all'),
  'service-resolver': ({ affected }, name) => affected.add(name, 'all'),
  'ingress-gateway': (validation, name) => {
    validateGatewayName(validation, name)
    validation.writtenGateways.set(foldEntryName(name), name)
  },
  'terminating-gateway': validateGatewayName,
  'service-intentions': ({ entries, intentions }, name, _before, after) => {
    intentions.set(foldEntryName(name), name)
    return after && validateProviders(entries, after)
  },
  'jwt-provider': ({ entries, references }, name, before, after) =>
    before && !after ? validateProviderRemoval(entries, references, name) : undefined,
  'exported-services': (validation) => {
    validation.exports = true
  },
}

/**
 * Validates several changes together. Only the resulting state matters, not the order of the changes.
 * @param entries Reads the entries with all changes applied.
 * @throws KernelError 400 that names the conflicting entries
 */
export function* validateChange(
  entries: GraphEntryReader,
  references: ReferenceLookup,
  changes: readonly CheckedChange[],
): Steps<void> {
  const validation = new ChangeValidation(entries, references)
  for (const change of changes) yield* validation.begin(change)
  yield* validation.validateChains()
}
