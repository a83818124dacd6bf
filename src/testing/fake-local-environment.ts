import { readOptions } from '../core/base/options.ts'
import type { LocalEnvironment } from '../engines/orchestrator/port.ts'

export interface FakeLocalEnvironmentOptions {
  /** The CA certificates in PEM. With null, the default, the file does not exist. With an Error, reading the file fails with this error. */
  readonly caCert?: string | null | Error
  /** The service account token. With null, the default, the file does not exist. With an Error, reading the file fails with this error. */
  readonly token?: string | null | Error
}

/** Returns the `LocalEnvironment` of a pod with the given files, for tests. */
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
