/** The records of plugin runtimes, and of the registered plugins that name one. */
import { jsonRecord } from '../../../core/contract/record-kind.ts'
import type { PluginId } from '../records.ts'

/** Everything as it was given. */
export interface StoredRuntime {
  readonly oci_runtime: string
  readonly cgroup_parent: string
  readonly cpu_nanos: number
  readonly memory_bytes: number
  readonly rootless: boolean
}

/** At `r/core/plugin-runtime/<type>/<name>`. */
export const RUNTIME = /* @__PURE__ */ jsonRecord<StoredRuntime>({ folder: 'plugin-runtime' })

/**
 * At `r/core/plugin-runtime-user/<runtime>/<type>/<name>/<version>`, the last three of the plugin. A deletion of the runtime rests on
 * the list, so that a plugin which comes meanwhile is not overlooked.
 */
export const RUNTIME_USER = /* @__PURE__ */ jsonRecord<Record<never, never>>({ folder: 'plugin-runtime-user', guarded: true })

export interface RuntimeId extends Pick<PluginId, 'type' | 'name'> {}

export const runtimeId = ({ type, name }: RuntimeId): string => `${type}/${name}`
