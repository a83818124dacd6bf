/** Versions of the key/value engine, the only one that has any (source: behaviour of the originals). Room: sys. */
import { invalid } from '../../core/errors.ts'

export type MountOptions = Readonly<Record<string, string>>

const KV = 'kv'
/** Types that say their version. */
const VERSIONED: Readonly<Record<string, string>> = { 'kv-v1': '1', 'kv-v2': '2' }

/** A type that says its version is the type without it, whatever the options say. */
export function plainType(type: string, options: MountOptions): { readonly type: string; readonly options: MountOptions } {
  const version = Object.hasOwn(VERSIONED, type) ? VERSIONED[type] : undefined
  return version === undefined ? { type, options } : { type: KV, options: { ...options, version } }
}

/** @throws KernelError 400 for a version that the engine lacks, and for any where there are none. */
export function checkVersion(engine: string, { version }: MountOptions): void {
  if (!version) return
  if (engine !== KV) throw invalid(`options.version: the engine "${engine}" does not allow setting a version`)
  if (version === '2') throw invalid('options.version: this release has version 1 of the key/value engine only')
  if (version !== '1') throw invalid('options.version: the key/value engine has the versions 1 and 2')
}
