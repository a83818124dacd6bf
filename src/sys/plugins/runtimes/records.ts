/** The records of plugin runtimes, and of the registered plugins that refer to a runtime. */
import { coreRecord } from '../../../core/contract/core-record.ts'
import type { PluginId } from '../records.ts'

/** The registered settings of a runtime. */
export interface StoredRuntime {
  readonly oci_runtime: string
  readonly cgroup_parent: string
  readonly cpu_nanos: number
  readonly memory_bytes: number
  readonly rootless: boolean
}

/** Stored at `r/core/plugin-runtime/<type>/<name>`. */
export const RUNTIME = /* @__PURE__ */ coreRecord<StoredRuntime>({ folder: 'plugin-runtime' })

/**
 * Stored at `r/core/plugin-runtime-user/<runtime>/<type>/<name>/<version>`; the last three parts identify the plugin. Deleting a runtime
 * conflicts with a change in this folder, so that a plugin registered concurrently is not overlooked.
 */
export const RUNTIME_USER = /* @__PURE__ */ coreRecord<Record<never, never>>({ folder: 'plugin-runtime-user', guarded: true })

interface RuntimeId extends Pick<PluginId, 'type' | 'name'> {}

export const runtimeId = ({ type, name }: RuntimeId): string => `${type}/${name}`
