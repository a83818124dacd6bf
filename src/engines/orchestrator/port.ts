import { isAnything, portMethods } from '../../core/contract/ports.ts'

/**
 * The service account files of the pod that this process runs in. Without this port the kernel behaves as outside of a pod.
 *
 * The kernel does not cache the results, so the implementation should. A method resolves to null if the file is absent. An error, or a call
 * longer than `effectTimeoutMs` (15 seconds by default), means that the file cannot be read. `signal` is aborted after that time, and when the
 * kernel closes.
 */
export interface LocalEnvironment {
  /** The CA certificates that verify the API server, in PEM. */
  caCert(signal: AbortSignal): Promise<string | null>
  /** The token of the service account that this process runs as. */
  serviceAccountToken(signal: AbortSignal): Promise<string | null>
}

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** The service account files of the pod, for a kernel that runs in a Kubernetes pod. */
    readonly localEnvironment?: LocalEnvironment
  }
}

/** Accepts any result, because the callers of the methods validate each result. */
export const LOCAL_ENVIRONMENT = /* @__PURE__ */ portMethods<LocalEnvironment>({
  caCert: { signalAt: 0, answers: isAnything },
  serviceAccountToken: { signalAt: 0, answers: isAnything },
})
