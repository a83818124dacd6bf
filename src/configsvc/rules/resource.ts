/**
 * What rules and permissions are about. Whatever differs between two resources is said here and nowhere else.
 */
import { foldName } from '../../core/base/fold-name.ts'
import { LEVELS, type Level } from './level.ts'

/** What may be asked: the level that it needs, and whether of one name or of all names that begin with it. */
export const ACCESSES = {
  read: { needs: 'read', tree: false },
  list: { needs: 'list', tree: false },
  write: { needs: 'write', tree: false },
  'write-prefix': { needs: 'write', tree: true },
} as const satisfies Readonly<Record<string, { readonly needs: Level; readonly tree: boolean }>>

export type ResourceAccess = keyof typeof ACCESSES

export interface Resource {
  /** Rules name things or prefixes of names; otherwise one rule is about all there is. */
  readonly named: boolean
  /** Those of them that are levels too are, with `deny`, the levels of its rules. */
  readonly accesses: readonly ResourceAccess[]
  /** Its names match in any case, as those of the stored entries do. Names of other resources are compared exactly, as Consul does. */
  readonly folds?: true
  /** Without a rule it is denied, whatever the default. */
  readonly closed?: true
  /** The resource whose rule counts where it has none. */
  readonly otherwise?: 'operator'
  /** It has no rules of its own: a field in those of another resource, whose level implies one where the field is absent. */
  readonly within?: {
    readonly resource: 'service'
    readonly field: 'intentions'
    readonly implied: Readonly<Record<Level, Level>>
  }
  /** The segment that stands for all names: reading it takes one rule that grants it, writing that no rule refuses it. */
  readonly all?: '*'
}

const READ_WRITE = ['read', 'write'] as const

const NAMED = { named: true, accesses: READ_WRITE } as const

const SINGLE = { named: false, accesses: READ_WRITE } as const

export const RESOURCES = {
  acl: { ...SINGLE, closed: true },
  agent: NAMED,
  event: NAMED,
  intention: {
    ...NAMED,
    folds: true,
    within: { resource: 'service', field: 'intentions', implied: { read: 'read', list: 'deny', write: 'read', deny: 'deny' } },
    all: '*',
  },
  key: { named: true, accesses: ['read', 'list', 'write', 'write-prefix'] },
  keyring: SINGLE,
  mesh: { ...SINGLE, otherwise: 'operator' },
  node: NAMED,
  operator: SINGLE,
  peering: { ...SINGLE, otherwise: 'operator' },
  query: NAMED,
  service: { ...NAMED, folds: true },
  session: NAMED,
} as const satisfies Readonly<Record<string, Resource>>

export type ResourceName = keyof typeof RESOURCES

const namesOf = (rows: typeof RESOURCES) => Object.freeze(Object.keys(rows)) as readonly ResourceName[]

export const RESOURCE_NAMES = /* @__PURE__ */ namesOf(RESOURCES)

/** A name in the form in which the rules of the resource are compared with it. */
export const comparedName = ({ folds }: Resource, name: string): string => (folds ? foldName(name) : name)

export const resourceOf = (name: ResourceName): Resource => RESOURCES[name]

/** The levels that a rule on the resource may have. */
export const levelsOf = (name: ResourceName): readonly Level[] =>
  LEVELS.filter((level) => level === 'deny' || resourceOf(name).accesses.includes(level))
