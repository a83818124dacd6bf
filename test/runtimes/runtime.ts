/**
 * Optional runtimes of this machine: an environment variable names the program, or the search path contains it under its usual name. A
 * program named by a variable must exist.
 */
import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

/** Only a hanging program takes that long. */
const MAX_WAIT_MS = 300_000

export type RuntimeName = 'chromium' | 'deno' | 'bun'

const USUAL: Readonly<Record<RuntimeName, readonly string[]>> = {
  chromium: ['chromium', 'chromium-browser', 'google-chrome'],
  deno: ['deno'],
  bun: ['bun'],
}

function isThere(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

export function runtime(name: RuntimeName): string | undefined {
  const named = process.env[name.toUpperCase()]
  if (named) return named
  const folders = (process.env['PATH'] ?? '').split(delimiter)
  return USUAL[name].flatMap((program) => folders.map((folder) => join(folder, program))).find(isThere)
}

/** The title of a test block, with the reason if it is skipped. */
export const titleOf = (name: RuntimeName): string =>
  runtime(name) ? name : `${name} (skipped: not installed; set ${name.toUpperCase()} to its program)`

/** Resolves with the standard output of a program. If it fails or hangs, rejects with its standard error. */
export function outputOf(program: string, args: readonly string[], folder: string): Promise<string> {
  return new Promise((resolve, reject) => {
    // Deno stores its caches in this folder and does not check for updates.
    const env = { ...process.env, DENO_DIR: join(folder, '.deno'), DENO_NO_UPDATE_CHECK: '1' }
    const child = spawn(program, args, { cwd: folder, env, stdio: ['ignore', 'pipe', 'pipe'], timeout: MAX_WAIT_MS })
    let [said, errors] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
      said += chunk
    })
    child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
      errors += chunk
    })
    child.on('error', reject)
    child.on('close', (code, signal) =>
      code === 0 ? resolve(said) : reject(new Error(`${program} ended with ${code ?? signal}: ${said}${errors}`)),
    )
  })
}
