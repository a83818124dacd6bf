/**
 * Which plugin a connection means.
 */
import { invalid, KernelError } from '../../core/base/errors.ts'
import type { Environment } from '../../core/contract/tx.ts'
import type { DatabasePlugin } from './port.ts'
import type { Connection } from './records.ts'

/** Three numbers, and what may stand behind them (semver.org). */
const SEMVER = /^v?(\d{1,10})\.(\d{1,10})\.(\d{1,10})(-[\w.-]{1,64})?(\+[\w.-]{1,64})?$/

/** As `v1.2.3`; empty stays empty. @throws KernelError 400 */
export function canonicalVersion(text: string): string {
  if (text === '') return ''
  const found = SEMVER.exec(text)
  if (!found) throw invalid('plugin_version: must be a semantic version such as 1.2.3')
  const [, major, minor, patch, pre = '', build = ''] = found
  return `v${Number(major)}.${Number(minor)}.${Number(patch)}${pre}${build}`
}

/** @throws KernelError 400 where the kernel was not given it. */
export function pluginOf({ ports }: Environment, { plugin_name, plugin_version }: PluginName): DatabasePlugin {
  const all = ports.databases ?? {}
  const plugin = Object.hasOwn(all, plugin_name) ? all[plugin_name] : undefined
  if (plugin && (plugin_version === '' || plugin.version === plugin_version)) return plugin
  const version = plugin_version === '' ? '' : ` in version ${plugin_version}`
  throw new KernelError(
    'ERR_INVALID_REQUEST',
    `plugin_name: createKernel({ ports: { databases } }) was given no ${plugin_name}${version}`,
  )
}

type PluginName = Pick<Connection, 'plugin_name' | 'plugin_version'>
