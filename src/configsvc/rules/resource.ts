/** The kinds of resources that rules and permissions are about. All differences between them are in this table. */
import { foldName } from '../../core/base/fold-name.ts'
import { LEVELS, type Level } from './level.ts'

/** Kinds of access: the level that each needs, and whether it is about one name or all names with a prefix. */
export const ACCESSES = {
  read: { needs: 'read', tree: false },
  list: { needs: 'list', tree: false },
  write: { needs: 'write', tree: false },
  'write-prefix': { needs: 'write', tree: true },
} as const satisfies Readonly<Record<string, { readonly needs: Level; readonly tree: boolean }>>

export type ResourceAccess = keyof typeof ACCESSES

export interface Resource {
  /** Whether its rules have names or prefixes; otherwise one rule is about all resources of this kind. */
  readonly named: boolean
  /** Its rules have these levels, except `write-prefix`, and `deny`. */
  readonly accesses: readonly ResourceAccess[]
  /** Names match in any case, as the names of the stored entries do. Names of other resources are compared exactly, as in Consul. */
  readonly folds?: true
  /** Denied if no rule matches, whatever the default policy. */
  readonly closed?: true
  /** The resource whose rule decides if this one has none. */
  readonly otherwise?: 'operator'
  /** A resource that is a field in the rules of another one. If the field is absent, the level of the other resource implies one. */
  readonly within?: {
    readonly resource: 'service'
    readonly field: 'intentions'
    readonly implied: Readonly<Record<Level, Level>>
  }
  /** The segment that means all names: reading it takes one rule that grants reading, writing it takes that no rule refuses writing. */
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

/** A name in the form in which rules of the resource are compared. */
export const comparedName = ({ folds }: Resource, name: string): string => (folds ? foldName(name) : name)

export const resourceOf = (name: ResourceName): Resource => RESOURCES[name]

/** The levels that a rule for the resource may have. */
export const levelsOf = (name: ResourceName): readonly Level[] =>
  LEVELS.filter((level) => level === 'deny' || resourceOf(name).accesses.includes(level))
