/** The replication port and its options. */
import { isBytes, type PortRules, portMethods } from '../../core/contract/ports.ts'
import type { ReplicationTransport, TransportListener } from '../../core/contract/replication-transport.ts'

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** Carries messages between clusters. By default, messages reach only clusters in this process. */
    readonly replication?: ReplicationTransport
  }
}

const isListening = (answer: unknown): boolean => {
  const { address, close } = (answer ?? {}) as Partial<TransportListener>
  return typeof address === 'string' && typeof close === 'function'
}

export const REPLICATION_PORT: PortRules = /* @__PURE__ */ portMethods<ReplicationTransport>({
  listen: { signalAt: 2, answers: isListening, late: (listening) => (listening as TransportListener).close() },
  request: { signalAt: 2, answers: isBytes },
})
