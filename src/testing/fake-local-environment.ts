/**
 * A pod without an orchestrator around it.
 */
import type { LocalEnvironment } from '../core/contract/token-reviewer.ts'

export interface FakeLocalEnvironmentOptions {
  /** Default: null, there is none. An error: it cannot be read. */
  readonly caCert?: string | null | Error
  readonly token?: string | null | Error
}

/** What a process finds about itself: nothing, or what it was given here. */
export function fakeLocalEnvironment({ caCert, token }: FakeLocalEnvironmentOptions = {}): LocalEnvironment {
  return {
    caCert: (signal) => tell(caCert, signal),
    serviceAccountToken: (signal) => tell(token, signal),
  }
}

async function tell(found: string | null | Error | undefined, signal: AbortSignal): Promise<string | null> {
  signal.throwIfAborted()
  if (found instanceof Error) throw found
  return found ?? null
}
