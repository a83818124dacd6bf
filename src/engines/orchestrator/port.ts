/** The port of the orchestrator auth method's own: where its process runs. */
import { isAnything, portMethods } from '../../core/contract/ports.ts'

/**
 * The local environment of a process inside an orchestrator. Without this port the kernel counts as outside.
 *
 * Called at every use, so the port caches what is costly. Null: absent. An error, or a call longer than `effectTimeoutMs` (15
 * seconds by default), counts as unreadable. `signal` is aborted then, and when the kernel closes.
 */
export interface LocalEnvironment {
  /** PEM certificates that verify the API server's. */
  caCert(signal: AbortSignal): Promise<string | null>
  /** The token of the service account that this process runs as. */
  serviceAccountToken(signal: AbortSignal): Promise<string | null>
}

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** For a kernel inside an orchestrator. */
    readonly localEnvironment?: LocalEnvironment
  }
}

/** The login judges the answers. */
export const LOCAL_ENVIRONMENT = /* @__PURE__ */ portMethods<LocalEnvironment>({
  caCert: { signalAt: 0, answers: isAnything },
  serviceAccountToken: { signalAt: 0, answers: isAnything },
})
