/**
 * Judges a change of entries against the entries around them.
 */
import { Pace, type Steps } from '../../../core/base/steps.ts'
import { quoted } from '../../../core/hcl/index.ts'
import { Affected } from './affected.ts'
import { Compiler } from './compiler.ts'
import { contradiction } from './contradiction.ts'
import { type Entries, type EntryOf, fold, type GraphKind, type References, type ServiceDefaults } from './entries-read.ts'
import { expectAhead } from './expect-ahead.ts'
import { judgeIngress } from './ingress.ts'
import { judgePermissions, judgeProviders, judgeRemovedProvider } from './intentions.ts'
import { exportedNames, exportedToPeers, isExported, judgeExport, RESOLVED } from './peer-export.ts'
import { judgePermissive } from './permissive.ts'
import { defaultProtocol, ownProtocol } from './protocol.ts'

/** Whatever the mesh entry says holds for what is written after it. */
export type JudgedKind = Exclude<GraphKind, 'mesh'>

/** Whether a change of an entry of this kind can break others, or be refused because of them. */
export const isJudged = (kind: string): kind is JudgedKind => Object.hasOwn(JUDGES, kind)

/** One entry that was put or deleted. */
export interface Change<K extends JudgedKind = JudgedKind> {
  readonly kind: K
  readonly name: string
  /** Undefined: it did not exist. */
  readonly before: EntryOf[K] | undefined
}

const SERVICE_MICROSECONDS = 20

const NAME_MICROSECONDS = 2

/** What is read of each service that is judged. */
const JUDGED = ['service-router', 'service-splitter', 'service-resolver', 'service-defaults', 'service-intentions'] as const

class Judging {
  readonly affected = new Affected()
  /** Ingress gateways that are written themselves. */
  readonly written = new Map<string, string>()
  /** Service-intentions by destination. */
  readonly intentions = new Map<string, string>()
  exports = false
  readonly entries: Entries
  readonly references: References
  readonly #pace = new Pace()

  constructor(entries: Entries, references: References) {
    this.entries = entries
    this.references = references
  }

  /** First refuses what needs no chain. */
  *begin<K extends JudgedKind>({ kind, name, before }: Change<K>): Steps<void> {
    if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
    const judge: Judge<K> = JUDGES[kind]
    const steps = yield* this.entries.loaded(() => judge(this, name, before, this.entries.get(kind, name)))
    if (steps) yield* steps
  }

  *chains(): Steps<void> {
    const { affected, entries, references } = this
    if (affected.everything) yield* this.#addAll()
    yield* affected.spread(entries, references)
    const compiler = new Compiler(entries)
    const { services } = affected
    for (const [i, service] of services.entries()) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      yield* entries.loaded(() => expectAhead(entries, JUDGED, i, (from, to) => services.slice(from, to)))
      yield* compiler.start(service)
    }
    yield* this.#judgeExports(compiler)
    yield* this.#judgeGateways(compiler)
    yield* this.#judgeIntentions(compiler)
  }

  *#addAll(): Steps<void> {
    const { affected, intentions, references } = this
    const adding: readonly (readonly [GraphKind, (name: string) => void])[] = [
      ...RESOLVED.map((kind) => [kind, (service: string) => affected.add(service, 'itself')] as const),
      ['ingress-gateway', (gateway) => affected.addGateway(gateway)],
      ['service-intentions', (destination) => intentions.set(fold(destination), destination)],
    ]
    for (const [kind, add] of adding)
      for (const name of yield* this.entries.loaded(() => references.allOf(kind))) {
        if (this.#pace.spend(NAME_MICROSECONDS)) yield
        add(name)
      }
  }

  #entry<K extends GraphKind>(kind: K, name: string): Steps<EntryOf[K] | undefined> {
    return this.entries.loaded(() => this.entries.get(kind, name))
  }

  *#judgeExports(compiler: Compiler): Steps<void> {
    const { affected, entries, references, exports } = this
    const exported = yield* entries.loaded(() => exportedToPeers(entries))
    if (exported.size === 0) return
    const services = affected.services.filter((service) => isExported(exported, service))
    const named = exports ? yield* entries.loaded(() => [...exportedNames(exported, references)]) : []
    for (const service of [...services, ...named]) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      yield* judgeExport(compiler, service)
    }
  }

  *#judgeGateways(compiler: Compiler): Steps<void> {
    for (const name of this.written.values()) {
      const gateway = yield* this.#entry('ingress-gateway', name)
      if (gateway) yield* judgeIngress(this.entries, compiler, gateway, () => true, true)
    }
    for (const name of this.affected.gateways) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      const gateway = this.written.has(fold(name)) ? undefined : yield* this.#entry('ingress-gateway', name)
      if (gateway) yield* judgeIngress(this.entries, compiler, gateway, (service) => this.affected.has(service), false)
    }
  }

  *#judgeIntentions(compiler: Compiler): Steps<void> {
    for (const service of this.affected.services) this.intentions.set(fold(service), service)
    for (const name of this.intentions.values()) {
      if (this.#pace.spend(SERVICE_MICROSECONDS)) yield
      const intentions = yield* this.#entry('service-intentions', name)
      if (intentions) yield* judgePermissions(compiler, intentions)
    }
  }
}

type Judge<K extends JudgedKind> = (
  judging: Judging,
  name: string,
  before: EntryOf[K] | undefined,
  after: EntryOf[K] | undefined,
) => Steps<void> | void

/** What other entries see of defaults. */
const visible = (defaults: ServiceDefaults | undefined): string | undefined =>
  defaults && `${ownProtocol(defaults)} ${Boolean(defaults.ExternalSNI)}`

function judgeGatewayName({ entries }: Judging, name: string): void {
  if (entries.get('ingress-gateway', name) && entries.get('terminating-gateway', name))
    throw contradiction(`${quoted(name)} cannot be the name of both an ingress-gateway and a terminating-gateway`, [name])
}

/** By kind. Nothing depends on what the others say. */
const JUDGES: { readonly [K in JudgedKind]: Judge<K> } = {
  'service-defaults': ({ entries, affected }, name, before, after) => {
    judgePermissive(entries, 'service-defaults', name, before)
    if (visible(before) !== visible(after)) affected.add(name, 'all')
  },
  'proxy-defaults': ({ entries, affected }, name, before, after) => {
    judgePermissive(entries, 'proxy-defaults', name, before)
    if (defaultProtocol(before) !== defaultProtocol(after)) affected.everything = true
  },
  'service-router': ({ affected }, name) => affected.add(name, 'listeners'),
  'service-splitter': ({ affected }, name) => affected.add(name, 'all'),
  'service-resolver': ({ affected }, name) => affected.add(name, 'all'),
  'ingress-gateway': (judging, name) => {
    judgeGatewayName(judging, name)
    judging.written.set(fold(name), name)
  },
  'terminating-gateway': judgeGatewayName,
  'service-intentions': ({ entries, intentions }, name, _before, after) => {
    intentions.set(fold(name), name)
    return after && judgeProviders(entries, after)
  },
  'jwt-provider': ({ entries, references }, name, before, after) =>
    before && !after ? judgeRemovedProvider(entries, references, name) : undefined,
  'exported-services': (judging) => {
    judging.exports = true
  },
}

/**
 * Judges one change, or several that are made together: the state that they lead to is what counts, whatever their order.
 * @param entries The entries with all changes made.
 * @throws KernelError 400 that names the entries in question
 */
export function* judgeChange(entries: Entries, references: References, changes: readonly Change[]): Steps<void> {
  const judging = new Judging(entries, references)
  for (const change of changes) yield* judging.begin(change)
  yield* judging.chains()
}
