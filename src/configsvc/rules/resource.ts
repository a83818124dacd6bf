/** The kinds of resources to which rules and permissions apply. This table contains everything in which they differ. */
import { foldName } from '../../core/base/fold-name.ts'
import { LEVELS, type Level } from './level.ts'

/** The kinds of access: the level that each requires, and whether it applies to one name or to all names with a prefix. */
export const ACCESSES = {
  read: { needs: 'read', tree: false },
  list: { needs: 'list', tree: false },
  write: { needs: 'write', tree: false },
  'write-prefix': { needs: 'write', tree: true },
} as const satisfies Readonly<Record<string, { readonly needs: Level; readonly tree: boolean }>>

export type ResourceAccess = keyof typeof ACCESSES

export interface Resource {
  /** Whether rules name a resource or a prefix; otherwise one rule applies to all resources of this kind. */
  readonly named: boolean
  /** The kinds of access that permissions may name. Except for `write-prefix`, they are also the levels that rules may have besides `deny`. */
  readonly accesses: readonly ResourceAccess[]
  /** Whether names match regardless of case, as the names of the stored entries do. Other names are compared exactly, as in Consul. */
  readonly folds?: true
  /** Whether access is denied if no rule matches, regardless of the default policy. */
  readonly closed?: true
  /** The resource whose rule applies if this resource has no rule of its own. */
  readonly otherwise?: 'operator'
  /**
   * Set if the level of this resource is a field in the rules of another resource. If a rule omits the field, `implied` maps the level of
   * the other resource to the level of this resource.
   */
  readonly within?: {
    readonly resource: 'service'
    readonly field: 'intentions'
    readonly implied: Readonly<Record<Level, Level>>
  }
  /**
   * The wildcard segment for all names. Reading it requires at least one rule that grants read. Writing it requires that no rule denies
   * write.
   */
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

/** Returns a name in the form in which rules of the resource are compared. */
export const comparedName = ({ folds }: Resource, name: string): string => (folds ? foldName(name) : name)

export const resourceOf = (name: ResourceName): Resource => RESOURCES[name]

/** The levels that a rule for the resource may have. */
export const levelsOf = (name: ResourceName): readonly Level[] =>
  LEVELS.filter((level) => level === 'deny' || resourceOf(name).accesses.includes(level))
