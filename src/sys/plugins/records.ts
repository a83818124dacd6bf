/** The records of registered plugins. */
import { jsonRecord } from '../../core/contract/record-kind.ts'

export interface Registered {
  readonly command: string
  /** Lower-case hexadecimal. */
  readonly sha256: string
  readonly args: readonly string[]
  readonly env: readonly string[]
  /** Absent: it is no image. */
  readonly oci_image?: string
  /** The plugin runtime that it names. */
  readonly runtime?: string
}

/** At `r/core/plugin/<type>/<name>/<version>`; the version may be empty. */
export const PLUGIN = /* @__PURE__ */ jsonRecord<Registered>({ folder: 'plugin' })

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
