/** The local environment of a pod, without an orchestrator. */
import { readOptions } from '../core/base/options.ts'
import type { LocalEnvironment } from '../engines/orchestrator/port.ts'

export interface FakeLocalEnvironmentOptions {
  /** Default: null, absent. An error: unreadable. */
  readonly caCert?: string | null | Error
  readonly token?: string | null | Error
}

/** A process's local environment: empty, or with the given files. */
export function fakeLocalEnvironment(options: FakeLocalEnvironmentOptions = {}): LocalEnvironment {
  const { caCert, token } = readOptions('fakeLocalEnvironment', options, { caCert: 1, token: 1 })
  return {
    caCert: (signal) => settle(caCert, signal),
    serviceAccountToken: (signal) => settle(token, signal),
  }
}

async function settle(found: string | null | Error | undefined, signal: AbortSignal): Promise<string | null> {
  signal.throwIfAborted()
  if (found instanceof Error) throw found
  return found ?? null
}
