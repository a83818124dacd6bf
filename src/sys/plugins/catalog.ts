/** The plugin catalog. It lists the engines of the kernel, the plugins passed to its ports, and registered plugins. */
import { KernelError } from '../../core/base/errors.ts'
import { sortSteps } from '../../core/base/sort-steps.ts'
import { Pace, type Steps } from '../../core/base/steps.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { readSteps } from '../../core/transaction/load-all.ts'
import { PLUGIN, readPluginId } from './records.ts'

const PLUGIN_TYPES = ['auth', 'database', 'secret'] as const
export type PluginType = (typeof PLUGIN_TYPES)[number]

export interface PluginDetails {
  /** Whether the plugin is part of the kernel or was passed to it. */
  readonly builtin: boolean
  /** The name, such as `postgresql-database-plugin`. */
  readonly name: string
  /** `auth`, `database` or `secret`. */
  readonly type: string
  /** The version, such as `v1.2.3`; empty if the plugin has no version. */
  readonly version: string
  /** `supported`, for built-in plugins only. */
  readonly deprecation_status?: string
}

/** The engines of the kernel and the plugins passed to it. */
export function builtin(tx: Tx): readonly PluginDetails[] {
  const entry = (type: PluginType, name: string, version = ''): PluginDetails => ({
    builtin: true,
    deprecation_status: 'supported',
    name,
    type,
    version,
  })
  return TOPOLOGY.of(tx).engines.flatMap(({ type, mounts, plugins }) => {
    const given = plugins?.given(tx.env).map(({ name, version }) => entry('database', name, version)) ?? []
    if (mounts === 'system') return given
    return [entry(mounts, type), ...given]
  })
}

/** The estimated cost of reading the id of a plugin. */
const ID_MICROSECONDS = 2

export function* registered(tx: Tx, type?: PluginType): Steps<readonly PluginDetails[]> {
  const ids = yield* readSteps(() => tx.list(PLUGIN, type === undefined ? {} : { prefix: `${type}/` }))
  const pace = new Pace()
  const found: PluginDetails[] = []
  for (const id of ids) {
    found.push({ builtin: false, ...readPluginId(type === undefined ? id : `${type}/${id}`) })
    if (pace.spend(ID_MICROSECONDS)) yield
  }
  return found
}

/** The names of the plugins of a type, without duplicates. They are ASCII, so sorting by code units sorts by bytes. */
export function* pluginNames(plugins: readonly PluginDetails[], type: string): Steps<readonly string[]> {
  const names = new Set(plugins.filter((plugin) => plugin.type === type).map(({ name }) => name))
  return yield* sortSteps([...names], (name) => name)
}

/** @throws KernelError 405 if the type is unknown, because the type is a segment of the path, and Vault answers such a path with 405. */
export function checkType(type: string): PluginType {
  const known = PLUGIN_TYPES.find((each) => each === type)
  if (known) return known
  throw new KernelError('ERR_UNSUPPORTED_OPERATION', `type: must be one of ${PLUGIN_TYPES.join(', ')}`)
}
