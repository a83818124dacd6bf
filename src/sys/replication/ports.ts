/** The replication port and its options. */
import { type PortRules, portObject } from '../../core/contract/ports.ts'
import type { ReplicationTransport } from '../../core/contract/replication-transport.ts'

declare module '../../core/contract/ports.ts' {
  interface Ports {
    /** Carries messages between clusters. By default, messages reach only clusters in this process. */
    readonly replication?: ReplicationTransport
  }
}

/** The replication limits the duration of its calls itself: see `limited-transport.ts`. */
export const REPLICATION_PORT: PortRules = /* @__PURE__ */ portObject<ReplicationTransport>({ listen: true, request: true })
