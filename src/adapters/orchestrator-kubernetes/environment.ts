import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { readOptions } from '../../core/base/options.ts'
import type { LocalEnvironment } from '../../engines/orchestrator/port.ts'

export interface KubernetesEnvironmentOptions {
  /** The directory that contains `ca.crt` and `token`. Default: `/var/run/secrets/kubernetes.io/serviceaccount`. */
  readonly directory?: string
  /** Returns the time in milliseconds, for the age of cached files. Default: `Date.now`. */
  readonly now?: () => number
}

const DIRECTORY = '/var/run/secrets/kubernetes.io/serviceaccount'
const CA_CACHE_MS = 3_600_000
/** How long the token is cached. The time is short, because Kubernetes rotates the token file. */
const TOKEN_CACHE_MS = 60_000

/**
 * Returns the `LocalEnvironment` port for a Kubernetes pod. It reads the CA certificate at most once an hour and the token at most once a
 * minute. If a file is missing, the result is null, and the next call looks for the file again. If a file cannot be read or is empty, the
 * call rejects.
 */
export function kubernetesEnvironment(options: KubernetesEnvironmentOptions = {}): LocalEnvironment {
  const { directory = DIRECTORY, now = Date.now } = readOptions('kubernetesEnvironment', options, { directory: 1, now: 1 })
  const caCert = new CachedFile(join(directory, 'ca.crt'), CA_CACHE_MS, now)
  const token = new CachedFile(join(directory, 'token'), TOKEN_CACHE_MS, now)
  return {
    async caCert(signal) {
      signal.throwIfAborted()
      return caCert.read()
    },
    async serviceAccountToken(signal) {
      signal.throwIfAborted()
      return token.read()
    },
  }
}

class CachedFile {
  readonly #path: string
  readonly #keepMs: number
  readonly #now: () => number
  #kept: { readonly text: string; readonly since: number } | undefined
  #reading: Promise<string | null> | undefined

  constructor(path: string, keepMs: number, now: () => number) {
    this.#path = path
    this.#keepMs = keepMs
    this.#now = now
  }

  /** Concurrent callers share one read of the file. */
  async read(): Promise<string | null> {
    const age = this.#kept ? this.#now() - this.#kept.since : Number.NaN
    if (this.#kept && age >= 0 && age < this.#keepMs) return this.#kept.text
    this.#reading ??= this.#load().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  async #load(): Promise<string | null> {
    this.#kept = undefined
    const since = this.#now()
    try {
      const text = (await readFile(this.#path, 'utf8')).trim()
      if (text === '') throw new Error('the file is empty')
      this.#kept = { text, since }
      return text
    } catch (cause) {
      const { code, message } = cause as NodeJS.ErrnoException
      if (code === 'ENOENT' || code === 'ENOTDIR') return null
      throw new Error(`kubernetesEnvironment: ${this.#path} cannot be read: ${code ?? message}`, { cause })
    }
  }
}
