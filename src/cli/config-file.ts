/** Loads the config file, a module that exports the options of `createKernel`. */
import { stat } from 'node:fs/promises'
import { resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { SeededKernelOptions } from '../create-kernel.ts'
import type { ConformanceFixture } from '../testing/index.ts'
import { CommandError } from './command-error.ts'

export const CONFIG_FILE = 'strongroom.config.mjs'

/** The exports of a config file. */
export interface ConfigFile {
  /** The path of the file. */
  readonly path: string
  readonly options: SeededKernelOptions
  /** Fresh stores for `doctor --conformance`. */
  readonly conformance: Omit<ConformanceFixture, 'name' | 'test'> | undefined
  /** Closes the storage, and whatever else the config has opened. */
  close(): Promise<void>
}

const configError = (path: string, rule: string, cause?: unknown): CommandError =>
  new CommandError('config', `${path}: ${rule}`, { cause })

/**
 * @param name The path as the user gave it. Default: the usual name in the folder `cwd`.
 * @throws CommandError `config` if the file is missing, cannot be loaded or does not export options.
 */
export async function loadConfig(cwd: string, name = CONFIG_FILE): Promise<ConfigFile> {
  const path = resolve(cwd, name)
  const isFile = await stat(path).then(
    (found) => found.isFile(),
    () => false,
  )
  if (!isFile) throw configError(name, 'does not exist; create it, or name another config file with --config')
  const exports = await importConfig(name, path)
  const options = await optionsOf(name, exports['default'])
  const { close, conformance } = exports
  if (close !== undefined && typeof close !== 'function') throw configError(name, 'the export close must be a function')
  if (conformance !== undefined && typeof (conformance as { open?: unknown } | null)?.open !== 'function')
    throw configError(name, 'the export conformance must be an object with the function open')
  return {
    path,
    options,
    conformance: conformance as ConfigFile['conformance'],
    close: async () => void (await (close ? (close as () => unknown)() : options.storage.close())),
  }
}

async function importConfig(name: string, path: string): Promise<Readonly<Record<string, unknown>>> {
  try {
    return (await import(pathToFileURL(path).href)) as Readonly<Record<string, unknown>>
  } catch (error) {
    throw configError(name, `cannot be loaded: ${messageOf(error)}`, error)
  }
}

async function optionsOf(name: string, exported: unknown): Promise<SeededKernelOptions> {
  let options: unknown
  try {
    options = await (typeof exported === 'function' ? (exported as () => unknown)() : exported)
  } catch (error) {
    throw configError(name, `its default export failed: ${messageOf(error)}`, error)
  }
  const { storage } = (options ?? {}) as { readonly storage?: { readonly close?: unknown } }
  if (typeof options !== 'object' || typeof storage?.close !== 'function')
    throw configError(name, 'must export by default the options of createKernel, or a function that returns them')
  return options as SeededKernelOptions
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
