/** The catalogue of plugins: the engines of the kernel, the plugins given to its ports, and registered ones. */
import { KernelError } from '../../core/base/errors.ts'
import type { Tx } from '../../core/contract/tx.ts'
import { TOPOLOGY } from '../../core/mount/topology.ts'
import { compareKeys } from '../../core/storage/order.ts'
import { PLUGIN, readPluginId } from './records.ts'

export const PLUGIN_TYPES = ['auth', 'database', 'secret'] as const
export type PluginType = (typeof PLUGIN_TYPES)[number]

export interface PluginDetails {
  /** Whether it is part of the kernel, or was given to it. */
  readonly builtin: boolean
  /** Its name, such as `postgresql-database-plugin`. */
  readonly name: string
  /** `auth`, `database` or `secret`. */
  readonly type: string
  /** `v1.2.3`; empty where it has none. */
  readonly version: string
  /** `supported`, for builtin plugins only. */
  readonly deprecation_status?: string
}

/** The engines of the kernel and the plugins given to it. */
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

export const registered = (tx: Tx, type?: PluginType): readonly PluginDetails[] =>
  tx.list(PLUGIN, type === undefined ? {} : { prefix: `${type}/` }).map((id) => ({
    builtin: false,
    ...readPluginId(type === undefined ? id : `${type}/${id}`),
  }))

export const namesOf = (plugins: readonly PluginDetails[], type: string): readonly string[] =>
  [...new Set(plugins.filter((plugin) => plugin.type === type).map(({ name }) => name))].sort(compareKeys)

/** @throws KernelError 405, the answer for an unknown path. */
export function checkType(type: string): PluginType {
  const known = PLUGIN_TYPES.find((each) => each === type)
  if (known) return known
  throw new KernelError('ERR_UNSUPPORTED_OPERATION', `type: must be one of ${PLUGIN_TYPES.join(', ')}`)
}
