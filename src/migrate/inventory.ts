/** Lists everything at the source that a migration copies. */
import { isCopiedType, isOwnType } from './copy-mount.ts'
import type { MigrationItem, MigrationKind, MigrationProblem } from './item.ts'
import { type MountInfo, readMounts } from './mount.ts'
import { type Caller, pathOf } from './party.ts'

/** Items of one kind and mount, sorted by name. */
export interface ItemList {
  readonly kind: MigrationKind
  readonly mount: string
  /** The version of a KV mount. */
  readonly version?: 1 | 2
  readonly names: readonly string[]
}

export interface Inventory {
  readonly lists: readonly ItemList[]
  /** Mounts and auth methods that cannot be copied. */
  readonly skipped: readonly MigrationProblem[]
}

export const itemsOf = ({ kind, mount, names }: ItemList): readonly MigrationItem[] =>
  names.map((name) => ({ kind, mount, name }))

/** Text in the order of its code units, as the progress compares it. */
const sorted = (names: readonly string[]): string[] => [...names].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0))

async function listNames(caller: Caller, path: string): Promise<readonly string[]> {
  const { data } = await caller.call('LIST', path)
  return (data?.['keys'] ?? []) as readonly string[]
}

/** Lists all names below a folder, whatever their depth. */
async function listTree(caller: Caller, folder: string): Promise<string[]> {
  const found: string[] = []
  const open = ['']
  for (let at = open.pop(); at !== undefined; at = open.pop())
    for (const name of await listNames(caller, `${folder}${pathOf(at)}`.replace(/\/$/, '')))
      (name.endsWith('/') ? open : found).push(`${at}${name}`)
  return sorted(found)
}

async function contentOf(caller: Caller, mount: string, { type, version }: MountInfo): Promise<ItemList> {
  if (type === 'transit') return { kind: 'key', mount, names: sorted(await listNames(caller, `${pathOf(mount)}keys`)) }
  const folder = version === 2 ? `${pathOf(mount)}metadata/` : pathOf(mount)
  return { kind: 'secret', mount, version, names: await listTree(caller, folder) }
}

export async function takeInventory(caller: Caller): Promise<Inventory> {
  const mounts = [...(await readMounts(caller))].filter(([, { type }]) => !isOwnType(type))
  const lists: ItemList[] = []
  for (const [mount, { type }] of mounts) if (isCopiedType(type)) lists.push({ kind: 'mount', mount, names: [''] })
  const policies = (await listNames(caller, 'sys/policies/acl')).filter((name) => name !== 'root')
  lists.push({ kind: 'policy', mount: '', names: sorted(policies) })
  lists.push({ kind: 'password_policy', mount: '', names: sorted(await listNames(caller, 'sys/policies/password')) })
  for (const [mount, info] of mounts) if (isCopiedType(info.type)) lists.push(await contentOf(caller, mount, info))
  const skipped = mounts.flatMap(([mount, { type }]) =>
    isCopiedType(type)
      ? []
      : [skippedMount(mount, `mounts of the type ${type} are not copied, because their secrets cannot be read`)],
  )
  const { data: methods = {} } = await caller.call('GET', 'sys/auth')
  for (const [path, method] of Object.entries(methods))
    if (!isOwnType((method as { readonly type: string }).type))
      skipped.push(skippedMount(`auth/${path}`, 'auth methods are not copied, because their secrets cannot be read'))
  return { lists: lists.filter(({ names }) => names.length > 0), skipped }
}

const skippedMount = (mount: string, reason: string): MigrationProblem => ({ kind: 'mount', mount, name: '', reason })
