/**
 * No tracing: the platform has no channels of its own to publish on.
 */
import type { Tracer } from '../../core/contract/tracer.ts'

export const tracer: Tracer = {
  listening: false,
  request: (_about, run) => run(),
  events: { listening: false, tell() {} },
}
