import { coreRecord } from '../../core/contract/core-record.ts'

export interface Registered {
  readonly command: string
  /** Lower-case hexadecimal. */
  readonly sha256: string
  readonly args: readonly string[]
  readonly env: readonly string[]
  /** Absent if the plugin is not in a container image. */
  readonly oci_image?: string
  /** The plugin runtime for the plugin's containers. */
  readonly runtime?: string
}

/** Stored at `r/core/plugin/<type>/<name>/<version>`; the version may be empty. */
export const PLUGIN = /* @__PURE__ */ coreRecord<Registered>({ folder: 'plugin' })

export interface PluginId {
  readonly type: string
  readonly name: string
  readonly version: string
}

export const pluginId = ({ type, name, version }: PluginId): string => `${type}/${name}/${version}`

export function readPluginId(id: string): PluginId {
  const [type = '', name = '', version = ''] = id.split('/')
  return { type, name, version }
}
