/** No tracing: the platform has no diagnostics channels. */
import type { Tracer } from '../../core/contract/tracer.ts'

export const tracer: Tracer = {
  listening: false,
  request: (_about, run) => run(),
  events: { listening: false, publish() {} },
}
